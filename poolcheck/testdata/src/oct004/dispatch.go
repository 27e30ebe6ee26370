package oct004

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/octet-go/octet/bytespool"
)

// A store has two implementations, each of which releases what it has acquired.
type store interface {
	get(n int) loan
	put(l loan)
}

type loan struct {
	b   []byte
	box *[]byte
}

type pools struct{ p *bytespool.CapacityPools }

func (s pools) get(n int) loan { return loan{b: s.p.New(n)} }
func (s pools) put(l loan)     { s.p.Release(l.b) }

type boxes struct{ p sync.Pool }

func (s *boxes) get(n int) loan {
	box, ok := s.p.Get().(*[]byte)
	if !ok {
		b := make([]byte, n)
		box = &b
	}
	return loan{*box, box}
}

func (s *boxes) put(l loan) { s.p.Put(l.box) }

// What one implementation acquires the same one releases.
func stored(s store) {
	l := s.get(64)
	l.b[0] = 'x'
	s.put(l)
}

// A type that is known is another matter.
func pooled(s pools) {
	l := s.get(64) // want `OCT004: l is not released on every path`
	l.b[0] = 'x'
}

// A codec packs into memory of its own, which it takes back.
type codec interface {
	pack(src []byte) *bytes.Buffer
	done(b *bytes.Buffer)
	pooled() bool
}

var (
	textBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	gzipBuffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

type textCodec struct{ indent string }

func (c textCodec) pack(src []byte) *bytes.Buffer {
	b := textBuffers.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(c.indent)
	b.Write(src)
	return b
}

func (c textCodec) done(b *bytes.Buffer) { textBuffers.Put(b) }
func (c textCodec) pooled() bool         { return true }

type gzipCodec struct{ level int }

func (c *gzipCodec) pack(src []byte) *bytes.Buffer {
	b := gzipBuffers.Get().(*bytes.Buffer)
	b.Reset()
	w, _ := gzip.NewWriterLevel(b, c.level)
	w.Write(src)
	w.Close()
	return b
}

func (c *gzipCodec) done(b *bytes.Buffer) { gzipBuffers.Put(b) }
func (c *gzipCodec) pooled() bool         { return true }

// bad: whichever codec has packed, the error path does not give back what it has made.
func send(c codec, w io.Writer, p []byte) error {
	b := c.pack(p) // want "OCT004: b is not released on every path"
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	c.done(b)
	return nil
}

// ok: the codec that has packed takes back what it has made.
func sendRight(c codec, w io.Writer, p []byte) error {
	b := c.pack(p)
	defer c.done(b)
	_, err := w.Write(b.Bytes())
	return err
}

// An archive opens readers, some of which are pooled.
type archive interface {
	open(src io.Reader) (io.Reader, error)
	close(r io.Reader)
	pooled() bool
}

type plainArchive struct{}

func (plainArchive) open(src io.Reader) (io.Reader, error) { return src, nil }
func (plainArchive) close(io.Reader)                       {}
func (plainArchive) pooled() bool                          { return false }

var lineReaders sync.Pool

type lineArchive struct{ size int }

func (a *lineArchive) open(src io.Reader) (io.Reader, error) {
	if r, ok := lineReaders.Get().(*bufio.Reader); ok {
		r.Reset(src)
		return r, nil
	}
	return bufio.NewReaderSize(src, a.size), nil
}

func (a *lineArchive) close(r io.Reader) { lineReaders.Put(r) }
func (a *lineArchive) pooled() bool      { return true }

func archiveOf(name string) archive {
	if strings.HasSuffix(name, ".txt") {
		return &lineArchive{4096}
	}
	return plainArchive{}
}

// bad: nothing closes the reader where it fails.
func content(name string, src io.Reader, n int) ([]byte, error) {
	a := archiveOf(name)
	r, err := a.open(src) // want "OCT004: r is not released on every path"
	if err != nil {
		return nil, err
	}
	p := make([]byte, n)
	if _, err := io.ReadFull(r, p); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	a.close(r)
	return p, nil
}

// ok: close takes back what open has acquired, if it has.
func contentRight(name string, src io.Reader, n int) ([]byte, error) {
	a := archiveOf(name)
	r, err := a.open(src)
	if err != nil {
		return nil, err
	}
	defer a.close(r)
	p := make([]byte, n)
	_, err = io.ReadFull(r, p)
	return p, err
}

// ok: the archive says whether there is anything to give back.
func contentAsked(name string, src io.Reader, p []byte) (int, error) {
	a := archiveOf(name)
	r, err := a.open(src)
	if err != nil {
		return 0, err
	}
	n, err := io.ReadFull(r, p)
	if a.pooled() {
		lineReaders.Put(r)
	}
	return n, err
}
