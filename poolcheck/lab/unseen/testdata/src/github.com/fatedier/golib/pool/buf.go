// Package pool is a stub with the signatures of github.com/fatedier/golib/pool:
// what the programs compile against.
package pool

import "sync"

var bufPool16k, bufPool5k, bufPool2k, bufPool1k, bufPool sync.Pool

func GetBuf(size int) []byte {
	var x interface{}
	switch {
	case size >= 16*1024:
		x = bufPool16k.Get()
	case size >= 5*1024:
		x = bufPool5k.Get()
	case size >= 2*1024:
		x = bufPool2k.Get()
	case size >= 1*1024:
		x = bufPool1k.Get()
	default:
		x = bufPool.Get()
	}
	if x == nil {
		return make([]byte, size)
	}
	buf := x.([]byte)
	if cap(buf) < size {
		return make([]byte, size)
	}
	return buf[:size]
}

func PutBuf(buf []byte) {
	switch size := cap(buf); {
	case size >= 16*1024:
		bufPool16k.Put(buf)
	case size >= 5*1024:
		bufPool5k.Put(buf)
	case size >= 2*1024:
		bufPool2k.Put(buf)
	case size >= 1*1024:
		bufPool1k.Put(buf)
	default:
		bufPool.Put(buf)
	}
}
