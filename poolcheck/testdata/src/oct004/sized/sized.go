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

// Impl is what the functions of Arena call.
var Impl struct {
	Take func(n int) []byte
	Give func(b []byte)
}

// An Arena is a pool by its looks: what it runs is not known here.
type Arena struct{}

func (*Arena) Alloc(n int) []byte { return Impl.Take(n) }
func (*Arena) Free(b []byte)      { Impl.Give(b) }

// A Rows is no pool: who frees its rows is not known.
type Rows struct{}

func (*Rows) Get(n int) []byte { return Impl.Take(n) }
func (*Rows) Put(b []byte)     { Impl.Give(b) }
