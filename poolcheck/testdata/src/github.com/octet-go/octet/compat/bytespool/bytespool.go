// Package bytespool has what the test programs use of compat/bytespool.
package bytespool

import "github.com/octet-go/octet/bytespool"

type CapacityPools struct{ *bytespool.Pool }

func Get(size int) []byte                    { return bytespool.New(size) }
func Put(buf []byte)                         {}
func (p *CapacityPools) Get(size int) []byte { return p.New(size) }
func (p *CapacityPools) Put(buf []byte)      {}
