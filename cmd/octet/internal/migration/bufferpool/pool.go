// Package pool is github.com/libp2p/go-buffer-pool with octet's slices.
package pool

import (
	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/compat/bytespool"
)

type (
	BufferPool = bytespool.CapacityPools
	Buffer     = bytebuf.Buffer
)

var GlobalPool = bytespool.DefaultCapacityPools

func Get(length int) []byte            { return GlobalPool.New(length) }
func Put(slice []byte)                 { GlobalPool.Release(slice) }
func NewBuffer(p []byte) *Buffer       { return bytebuf.NewBufferString(string(p)) }
func NewBufferString(s string) *Buffer { return bytebuf.NewBufferString(s) }
