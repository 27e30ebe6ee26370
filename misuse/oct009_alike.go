package main

import (
	"bytes"

	"github.com/octet-go/octet/bytespool"
)

var oct009Alike = []program{
	{poolClears, "a pool with WithClear"},
}

func poolClears() {
	for _, policy := range []bytespool.ClearPolicy{bytespool.ClearOnGet, bytespool.ClearOnRelease} {
		p := bytespool.NewPool(bytespool.WithSizes(64, 4096), bytespool.WithClear(policy))
		for i := range 50 {
			b := p.New(100 + i)
			if policy == bytespool.ClearOnGet && bytes.Count(b, []byte{0}) != len(b) {
				panic("not cleared")
			}
			b[0], b[99] = 1, 2
			p.Release(b)
		}
	}
}
