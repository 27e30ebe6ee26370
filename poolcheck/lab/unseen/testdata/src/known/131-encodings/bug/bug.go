// Package bug sends documents compressed, in the encoding that the server
// was configured for.
package bug

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

type encoding string

const (
	gzipEncoding    encoding = "gzip"
	deflateEncoding encoding = "deflate"
	rawEncoding     encoding = "raw"
)

// An encoder compresses into a buffer of the pool that it was made with. Who
// gets a buffer from it puts it back.
type encoder interface {
	encode(r io.Reader) (*bytes.Buffer, error)
	decode(p []byte, v any) error
}

func newEncoder(enc encoding, level int, buffers *sync.Pool) encoder {
	switch enc {
	case gzipEncoding:
		return &gzipEncoder{
			writers: &sync.Pool{New: func() any {
				w, err := gzip.NewWriterLevel(io.Discard, level)
				return &gzipWriter{writer: w, err: err}
			}},
			buffers: buffers,
		}
	case deflateEncoding:
		return &zlibEncoder{
			writers: &sync.Pool{New: func() any {
				w, err := zlib.NewWriterLevel(io.Discard, level)
				return &zlibWriter{writer: w, err: err}
			}},
			buffers: buffers,
		}
	case rawEncoding:
		return &flateEncoder{
			writers: &sync.Pool{New: func() any {
				w, _ := flate.NewWriter(io.Discard, flate.DefaultCompression)
				return w
			}},
			buffers: buffers,
		}
	}
	return nil
}

type gzipEncoder struct {
	writers *sync.Pool
	buffers *sync.Pool
}

type gzipWriter struct {
	writer *gzip.Writer
	err    error
}

func (g *gzipEncoder) encode(r io.Reader) (*bytes.Buffer, error) {
	w := g.writers.Get().(*gzipWriter)
	defer g.writers.Put(w)
	if w.err != nil {
		return nil, w.err
	}
	defer func() { _ = w.writer.Close() }()

	buf := g.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	w.writer.Reset(buf)
	if _, err := copyAll(w.writer, r); err != nil {
		w.writer.Reset(io.Discard)
		g.buffers.Put(buf)
		return nil, err
	}
	return buf, nil
}

func (g *gzipEncoder) decode(p []byte, v any) error {
	r, err := gzip.NewReader(bytes.NewReader(p))
	if err != nil {
		return err
	}
	defer r.Close()
	return json.NewDecoder(r).Decode(v)
}

type zlibEncoder struct {
	writers *sync.Pool
	buffers *sync.Pool
}

type zlibWriter struct {
	writer *zlib.Writer
	err    error
}

func (z *zlibEncoder) encode(r io.Reader) (*bytes.Buffer, error) {
	w := z.writers.Get().(*zlibWriter)
	defer z.writers.Put(w)
	if w.err != nil {
		return nil, w.err
	}
	defer func() { _ = w.writer.Close() }()

	buf := z.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	w.writer.Reset(buf)
	if _, err := copyAll(w.writer, r); err != nil {
		return nil, err
	}
	return buf, nil
}

func (z *zlibEncoder) decode(p []byte, v any) error {
	r, err := zlib.NewReader(bytes.NewReader(p))
	if err != nil {
		return err
	}
	defer r.Close()
	return json.NewDecoder(r).Decode(v)
}

type flateEncoder struct {
	writers *sync.Pool
	buffers *sync.Pool
}

func (f *flateEncoder) encode(r io.Reader) (*bytes.Buffer, error) {
	w := f.writers.Get().(*flate.Writer)
	defer func() {
		_ = w.Close()
		f.writers.Put(w)
	}()

	buf := f.buffers.Get().(*bytes.Buffer)
	buf.Reset()
	w.Reset(buf)
	if _, err := copyAll(w, r); err != nil {
		return nil, err
	}
	return buf, nil
}

func (f *flateEncoder) decode(p []byte, v any) error {
	r := flate.NewReader(bytes.NewReader(p))
	return json.NewDecoder(r).Decode(v)
}

var copyBufs = sync.Pool{New: func() any { return make([]byte, 4096) }}

// copyAll copies without a buffer of its own where one end can do it.
func copyAll(w io.Writer, r io.Reader) (int64, error) {
	if wt, ok := r.(io.WriterTo); ok {
		return wt.WriteTo(w)
	}
	if rf, ok := w.(io.ReaderFrom); ok {
		return rf.ReadFrom(r)
	}
	v := copyBufs.Get()
	buf := v.([]byte)
	n, err := io.CopyBuffer(w, r, buf)
	copyBufs.Put(v)
	return n, err
}

type client struct {
	out     io.Writer
	buffers *sync.Pool
	encoder encoder
}

func newClient(out io.Writer, enc encoding, level int) *client {
	buffers := &sync.Pool{New: func() any { return new(bytes.Buffer) }}
	return &client{out: out, buffers: buffers, encoder: newEncoder(enc, level, buffers)}
}

// send sends a document with its length in front.
func (c *client) send(doc io.Reader) error {
	body, err := c.encoder.encode(doc)
	if err != nil {
		return fmt.Errorf("compressing the document: %w", err)
	}
	defer c.buffers.Put(body)
	if _, err := fmt.Fprintf(c.out, "%d\n", body.Len()); err != nil {
		return err
	}
	_, err = body.WriteTo(c.out)
	return err
}
