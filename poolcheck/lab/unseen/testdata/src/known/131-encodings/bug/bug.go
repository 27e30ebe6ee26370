// Package bug sends documents compressed, in the encoding that the server
// was configured for.
package bug

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"sync"
)

// An encoder compresses into a buffer of the pool that it was made with. Who
// gets a buffer from it puts it back.
type encoder interface {
	encode(r io.Reader) (*bytes.Buffer, error)
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
	if _, err := io.Copy(w.writer, r); err != nil {
		w.writer.Reset(io.Discard)
		g.buffers.Put(buf)
		return nil, err
	}
	return buf, nil
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
	if _, err := io.Copy(w.writer, r); err != nil {
		return nil, err
	}
	return buf, nil
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
	if _, err := io.Copy(w, r); err != nil {
		return nil, err
	}
	return buf, nil
}

type client struct {
	out     io.Writer
	buffers *sync.Pool
	encoder encoder
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
