// Package mpool is a stub with the signatures of github.com/jbenet/go-msgio/mpool:
// what the programs compile against.
package mpool

import (
	"math/bits"
	"sync"
)

var ByteSlicePool = &Pool{
	New: func(length int) interface{} { return make([]byte, length) },
}

type Pool struct {
	pools [32]sync.Pool
	New   func(len int) interface{}
}

func (p *Pool) Get(length uint32) interface{} {
	idx := bits.Len32(length - 1)
	val := p.pools[idx].Get()
	if val == nil && p.New != nil {
		val = p.New(1 << idx)
	}
	return val
}

func (p *Pool) Put(length uint32, val interface{}) {
	p.pools[bits.Len32(length)-1].Put(val)
}
