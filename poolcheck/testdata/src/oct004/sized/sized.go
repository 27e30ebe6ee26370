// Package sized has pools by size, as libraries do.
package sized

import (
	"math/bits"
	"sync"
)

var pools = func() map[int]*sync.Pool {
	m := make(map[int]*sync.Pool)
	for n := 128; n <= 65536; n *= 2 {
		m[n] = new(sync.Pool)
	}
	return m
}()

// GetLen makes what no pool has.
func GetLen(n int) []byte {
	size := 1 << bits.Len(uint(max(n, 128)-1))
	if p := pools[size]; p != nil {
		if v := p.Get(); v != nil {
			return v.([]byte)[:n]
		}
		return make([]byte, n, size)
	}
	return make([]byte, n)
}

func put(b []byte) {
	if p := pools[cap(b)]; p != nil {
		p.Put(b)
	}
}

// Put drops what fits no pool.
func Put(b []byte) { put(b) }
