package alike

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"io"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// ok: the reader is pointed at other bytes before it is read again.
func reset(w io.Writer) {
	b := bytespool.New(2048)
	r := bytes.NewReader(b)
	io.Copy(w, r)
	bytespool.Release(b)
	r.Reset([]byte("trailer"))
	io.Copy(w, r)
}

type batch struct{ owner []string }

var batches = sync.Pool{New: func() any { return new(batch) }}

func (b *batch) free() {
	b.owner = nil
	batches.Put(b)
}

// ok: the batch forgets this list.
func ownersOf(names []string) []string {
	b := batches.Get().(*batch)
	defer b.free()
	b.owner = append(b.owner, names...)
	return b.owner
}

type spooler struct {
	workers int
	send    func([]byte)
}

func (s *spooler) next(b []byte) {
	if s.workers == 1 {
		s.send(b)
		return
	}
	go func() {
		s.send(b)
		bytespool.Release(b)
	}()
}

// ok: if there is not one worker, there are several.
func (s *spooler) spool(read func([]byte) bool) {
	b := bytespool.New(4096)
	for read(b) {
		s.next(b)
		if s.workers > 1 {
			b = bytespool.New(4096)
		}
	}
	bytespool.Release(b)
}

func capitals(in *buffer.Buffer) *buffer.Buffer {
	if in.Len() == 0 {
		return in
	}
	return buffer.NewBytes(bytes.ToUpper(in.Bytes()))
}

// ok: a comparison tells whether there are two Buffers.
func twoBuffers(s string, w io.Writer) {
	b := buffer.NewString(s)
	out := capitals(b)
	if out != b {
		b.Release()
	}
	out.WriteTo(w)
	out.Release()
}

func releaseAny(v any) {
	if r, ok := v.(interface{ Release() bool }); ok {
		r.Release()
	}
}

// ok: the helper asserts that there is something to release.
func releasedIfAble(w io.Writer, s string) {
	b := buffer.NewString(s)
	b.WriteTo(w)
	releaseAny(b)
}

// ok: no hash fails.
func summed(data []byte) ([]byte, error) {
	b := bufs.Get().(*bytes.Buffer)
	sum := sha256.New()
	if _, err := sum.Write(data); err != nil {
		return nil, err
	}
	b.Write(sum.Sum(nil))
	out := bytes.Clone(b.Bytes())
	bufs.Put(b)
	return out, nil
}

type decoding struct{ state []byte }

var decodings = sync.Pool{New: func() any { return new(decoding) }}

// ok: a decoding that something failed with is left to the collector.
func broken(w io.Writer) error {
	s := decodings.Get().(*decoding)
	if err := json.Unmarshal(s.state, s); err != nil {
		return err
	}
	_, err := w.Write(s.state)
	decodings.Put(s)
	return err
}

type page struct {
	refs int32
	buf  [4096]byte
}

var pages = sync.Pool{New: func() any { return new(page) }}

func (p *page) unref(free func(*page)) {
	if p.refs--; p.refs == 0 {
		free(p)
	}
}

// ok: two users end, and the later one frees.
func twoUsers(w io.Writer) {
	p := pages.Get().(*page)
	p.refs = 2
	free := func(p *page) { pages.Put(p) }
	w.Write(p.buf[:16])
	p.unref(free)
	p.unref(free)
}
