// Package pool is a stub with the signatures of github.com/libp2p/go-buffer-pool:
// what the programs compile against.
package pool

import (
	"math/bits"
	"sync"
)

const MaxLength = 1<<31 - 1

var GlobalPool = new(BufferPool)

type BufferPool struct {
	pools [32]sync.Pool
	ptrs  sync.Pool
}

type bufp struct{ buf []byte }

func Get(length int) []byte { return GlobalPool.Get(length) }
func Put(slice []byte)      { GlobalPool.Put(slice) }

func (p *BufferPool) Get(length int) []byte {
	if length == 0 {
		return nil
	}
	if length > MaxLength || length < 0 {
		return make([]byte, length)
	}
	idx := bits.Len32(uint32(length) - 1)
	if ptr := p.pools[idx].Get(); ptr != nil {
		bp := ptr.(*bufp)
		buf := bp.buf[:length]
		bp.buf = nil
		p.ptrs.Put(ptr)
		return buf
	}
	return make([]byte, 1<<idx)[:length]
}

func (p *BufferPool) Put(buf []byte) {
	capacity := cap(buf)
	if capacity == 0 || capacity > MaxLength {
		return
	}
	var bp *bufp
	if ptr := p.ptrs.Get(); ptr != nil {
		bp = ptr.(*bufp)
	} else {
		bp = new(bufp)
	}
	bp.buf = buf
	p.pools[bits.Len32(uint32(capacity))-1].Put(bp)
}
