// Package bug reads files past the page cache, through aligned blocks.
package bug

import (
	"errors"
	"io"
	"os"
	"sync"
)

const (
	smallBlock = 128 << 10
	largeBlock = 2 << 20
)

var (
	smallBlocks = sync.Pool{New: func() any { b := make([]byte, smallBlock); return &b }}
	largeBlocks = sync.Pool{New: func() any { b := make([]byte, largeBlock); return &b }}
)

type directReader struct {
	file  *os.File
	small bool
	err   error
	buf   []byte
	block *[]byte
	seen  bool
}

func (r *directReader) Read(p []byte) (n int, err error) {
	if r.err != nil && (len(r.buf) == 0 || !r.seen) {
		return 0, r.err
	}
	if r.buf == nil {
		if r.small {
			r.block = smallBlocks.Get().(*[]byte)
		} else {
			r.block = largeBlocks.Get().(*[]byte)
		}
	}
	if !r.seen {
		r.buf = *r.block
		n, err = r.file.Read(r.buf)
		if err != nil && err != io.EOF || n == 0 {
			r.err = err
			return n, err
		}
		r.err = err
		r.buf = r.buf[:n]
		r.seen = true
	}
	if len(p) >= len(r.buf) {
		n = copy(p, r.buf)
		r.seen = false
		return n, r.err
	}
	n = copy(p, r.buf)
	r.buf = r.buf[n:]
	return n, nil
}

func (r *directReader) Close() error {
	if r.small {
		smallBlocks.Put(r.block)
	} else {
		largeBlocks.Put(r.block)
	}
	return r.file.Close()
}

// readHead reads up to max bytes of a file.
func readHead(name string, max int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r := &directReader{file: f, small: max <= smallBlock}
	defer r.Close()
	head := make([]byte, max)
	n, err := io.ReadFull(r, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	// An error of Close counts here.
	if err := r.Close(); err != nil {
		return nil, err
	}
	return head[:n], nil
}
