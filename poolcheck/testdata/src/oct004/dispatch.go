package oct004

import (
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
