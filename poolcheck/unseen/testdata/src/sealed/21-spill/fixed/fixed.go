// Package fixed gathers the content of changed files. What is small stays in
// memory, and what is large goes to a temporary file.
package fixed

import (
	"bytes"
	"errors"
	"io"
	"os"
	"sync"
)

const defaultThreshold = 10 << 20

type bufferPool struct{ pool sync.Pool }

func newBufferPool() *bufferPool {
	return &bufferPool{pool: sync.Pool{New: func() any {
		return bytes.NewBuffer(make([]byte, 0, 4096))
	}}}
}

func (p *bufferPool) get() *bytes.Buffer { return p.pool.Get().(*bytes.Buffer) }

func (p *bufferPool) put(b *bytes.Buffer) {
	b.Reset()
	p.pool.Put(b)
}

var sharedBuffers = newBufferPool()

type state int

const (
	writing state = iota
	reading
)

// A contentWriter is written to, closed for writing, and read.
type contentWriter struct {
	threshold int
	size      int
	state     state

	pool *bufferPool
	buf  *bytes.Buffer // nil when the writer has none
	file *os.File      // nil unless the content is large
}

func newContentWriter() *contentWriter {
	return &contentWriter{
		threshold: defaultThreshold,
		pool:      sharedBuffers,
		buf:       sharedBuffers.get(),
	}
}

func (w *contentWriter) buffered() int {
	if w.buf == nil {
		return 0
	}
	return w.buf.Len()
}

func (w *contentWriter) Write(data []byte) (int, error) {
	if w.state != writing {
		return 0, errors.New("the writer is closed for writing")
	}
	w.size += len(data)
	if w.buf != nil && w.buf.Len()+len(data) <= w.threshold {
		return w.buf.Write(data)
	}
	if w.file == nil {
		file, err := os.CreateTemp("", "content-*")
		if err != nil {
			return 0, err
		}
		w.file = file
		// All of the content shall be in one place.
		if w.buf.Len() > 0 {
			if _, err := w.buf.WriteTo(w.file); err != nil {
				return 0, err
			}
			w.pool.put(w.buf)
			w.buf = nil
		}
	}
	if w.buffered() > 0 {
		if _, err := w.buf.WriteTo(w.file); err != nil {
			return 0, err
		}
	}
	return w.file.Write(data)
}

// closeForWriting makes the content readable.
func (w *contentWriter) closeForWriting() error {
	w.state = reading
	if w.file == nil {
		return nil
	}
	// All is in the file then.
	defer func() {
		if w.buf != nil {
			w.pool.put(w.buf)
			w.buf = nil
		}
	}()
	if w.buffered() > 0 {
		if _, err := w.buf.WriteTo(w.file); err != nil {
			w.file.Close()
			return err
		}
	}
	return w.file.Close()
}

// reader gives the content away, which can be read once.
func (w *contentWriter) reader() (io.ReadCloser, error) {
	if w.state != reading {
		return nil, errors.New("the writer is not closed for writing")
	}
	if w.file != nil {
		file, err := os.Open(w.file.Name())
		if err != nil {
			return nil, err
		}
		return &fileReader{file}, nil
	}
	if w.buf == nil {
		return nil, errors.New("the content was read")
	}
	r := &bufferReader{pool: w.pool, buf: w.buf}
	w.buf = nil
	return r, nil
}

// discard drops the content of a writer that failed.
func (w *contentWriter) discard() {
	w.state = reading
	if w.buf != nil {
		w.pool.put(w.buf)
		w.buf = nil
	}
	if w.file != nil {
		w.file.Close()
		os.Remove(w.file.Name())
	}
}

// A fileReader removes its file in the end.
type fileReader struct{ *os.File }

func (r *fileReader) Close() error {
	defer os.Remove(r.Name())
	return r.File.Close()
}

// A bufferReader owns its buffer until it is closed.
type bufferReader struct {
	pool *bufferPool
	buf  *bytes.Buffer
}

func (r *bufferReader) Read(p []byte) (int, error) {
	if r.buf == nil {
		return 0, os.ErrClosed
	}
	return r.buf.Read(p)
}

func (r *bufferReader) Close() error {
	if r.buf != nil {
		r.pool.put(r.buf)
		r.buf = nil
	}
	return nil
}

// inspect gathers a content and calls a function with it.
func inspect(blocks <-chan []byte, fn func(content io.Reader, size int) error) error {
	w := newContentWriter()
	for block := range blocks {
		if _, err := w.Write(block); err != nil {
			w.discard()
			return err
		}
	}
	if err := w.closeForWriting(); err != nil {
		w.discard()
		return err
	}
	r, err := w.reader()
	if err != nil {
		w.discard()
		return err
	}
	defer r.Close()
	return fn(r, w.size)
}
