package oct004

import (
	"errors"
	"sync"
)

// ok: what is not a []byte is nothing that the pool should have.
func checkPool(p *sync.Pool) error {
	b := p.Get()
	if _, ok := b.([]byte); ok == false {
		return errors.New("pool is not one of bytes")
	}
	p.Put(b)
	return nil
}

var togglePool = sync.Pool{New: func() any { return new([]byte) }}

// bad: comparing a flag with true tells nothing of the memory.
func compareFlag(read func([]byte) bool) bool {
	b := togglePool.Get().(*[]byte) // want "OCT004: b is not released on every path"
	if ok := read(*b); ok != true {
		return false
	}
	togglePool.Put(b)
	return true
}
