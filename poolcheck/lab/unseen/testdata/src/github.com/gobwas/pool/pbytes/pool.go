// Package pbytes is a stub with the signatures of github.com/gobwas/pool/pbytes:
// what the programs compile against.
package pbytes

import (
	"math/bits"
	"sync"
)

var DefaultPool = New(128, 65536)

type Pool struct{ pools map[int]*sync.Pool }

func New(min, max int) *Pool {
	p := &Pool{make(map[int]*sync.Pool)}
	for n := min; n <= max; n *= 2 {
		p.pools[n] = new(sync.Pool)
	}
	return p
}

func GetCap(c int) []byte           { return DefaultPool.GetCap(c) }
func GetLen(n int) []byte           { return DefaultPool.GetLen(n) }
func Get(n, c int) []byte           { return DefaultPool.Get(n, c) }
func Put(p []byte)                  { DefaultPool.Put(p) }
func (p *Pool) GetCap(c int) []byte { return p.Get(0, c) }
func (p *Pool) GetLen(n int) []byte { return p.Get(n, n) }

func (p *Pool) Get(n, c int) []byte {
	size := 1 << bits.Len(uint(max(c, 128)-1))
	if pool := p.pools[size]; pool != nil {
		if v := pool.Get(); v != nil {
			return v.([]byte)[:n]
		}
		return make([]byte, n, size)
	}
	return make([]byte, n, c)
}

func (p *Pool) Put(bts []byte) {
	if pool := p.pools[cap(bts)]; pool != nil {
		pool.Put(bts)
	}
}
