// Package bursts reads several datagrams at once and passes a copy of each to a gate, which
// may refuse it.
package bursts

import (
	"crypto/cipher"
	"errors"
	"io"
	"sync"
)

var pages = sync.Pool{New: func() any { return new([2048]byte) }}

// A page is read into. It may be released twice.
type page struct {
	mem *[2048]byte
	n   int
}

func newPage() *page { return &page{mem: pages.Get().(*[2048]byte)} }

func (p *page) release() {
	if p.mem == nil {
		return
	}
	mem := p.mem
	*p = page{}
	pages.Put(mem)
}

func (p *page) bytes() []byte {
	if p.mem == nil {
		return nil
	}
	return p.mem[:p.n]
}

func releaseAll(ps []*page) {
	for _, p := range ps {
		p.release()
	}
}

func readPages(r io.Reader) ([]*page, error) {
	var ps []*page
	for len(ps) < 4 {
		p := newPage()
		n, err := r.Read(p.mem[:])
		if err != nil {
			p.release()
			if len(ps) > 0 {
				return ps, nil
			}
			return nil, err
		}
		p.n = n
		ps = append(ps, p)
		if n < len(p.mem) {
			break
		}
	}
	return ps, nil
}

var copies = sync.Pool{New: func() any { return new([]byte) }}

// A parcel may have memory of somebody else, which release leaves alone.
type parcel struct {
	data  []byte
	owned bool
}

func (p *parcel) copied() *parcel {
	mem := copies.Get().(*[]byte)
	return &parcel{data: append((*mem)[:0], p.data...), owned: true}
}

func (p *parcel) release() {
	if !p.owned {
		return
	}
	data := p.data
	*p = parcel{}
	copies.Put(&data)
}

// A handler takes over what it is given.
type handler interface{ handle(p *parcel) }

type printer struct{ w io.Writer }

func (h printer) handle(p *parcel) {
	defer p.release()
	h.w.Write(p.data)
}

// A gate passes a parcel on, or returns an error and leaves it to its caller.
type gate interface{ pass(p *parcel) error }

type sealedGate struct {
	aead cipher.AEAD
	next handler
}

var errShort = errors.New("parcel is too short")

func (g *sealedGate) pass(p *parcel) error {
	n := g.aead.NonceSize()
	if len(p.data) < n+g.aead.Overhead() {
		return errShort
	}
	plain, err := g.aead.Open(p.data[n:n], p.data[:n], p.data[n:], nil)
	if err != nil {
		return err
	}
	p.data = p.data[:copy(p.data, plain)]
	g.next.handle(p)
	return nil
}

type server struct{ gate gate }

// ok: what the gate refuses is released, and so is the rest of the pages.
func (s *server) serve(r io.Reader) error {
	for {
		ps, err := readPages(r)
		if err != nil {
			releaseAll(ps)
			return err
		}
		for _, p := range ps {
			c := (&parcel{data: p.bytes()}).copied()
			if err := s.gate.pass(c); err != nil {
				c.release()
				releaseAll(ps)
				return err
			}
			p.release()
		}
	}
}

// bad: what the gate refuses is lost.
func (s *server) forward(r io.Reader) error {
	for {
		ps, err := readPages(r)
		if err != nil {
			releaseAll(ps)
			return err
		}
		for _, p := range ps {
			c := (&parcel{data: p.bytes()}).copied() // want "OCT004: pooled memory is not released on every path"
			if err := s.gate.pass(c); err != nil {
				releaseAll(ps)
				return err
			}
			p.release()
		}
	}
}
