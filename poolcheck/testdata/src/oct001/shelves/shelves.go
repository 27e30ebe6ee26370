// Package shelves has pools for some sizes, in a package of their own.
package shelves

import "sync"

type Shelves struct{ sizes map[int]*sync.Pool }

func (s *Shelves) Put(b []byte) {
	if p := s.sizes[cap(b)]; p != nil {
		p.Put(b)
	}
}

// Clear puts b back if it is not needed any more.
func (s *Shelves) Clear(b []byte, done bool) {
	clear(b)
	if done {
		s.Put(b)
	}
}
