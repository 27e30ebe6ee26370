package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/octet-go/octet/bytespool"
)

var oct009Alike = []program{
	{sentWritten, "what was written is sent"},
	{clearedFirst, "the slice is cleared before it is filled in part"},
	{poolClears, "a pool with WithClear"},
}

func sentWritten() {
	b := bytespool.New(1024)
	n, _ := strings.NewReader("a short body").Read(b)
	io.Discard.Write(b[:n])
	bytespool.Release(b)
}

func clearedFirst() {
	b := bytespool.New(32)
	clear(b)
	copy(b, "key")
	io.Discard.Write(b)
	bytespool.Release(b)
}

func poolClears() {
	for _, policy := range []bytespool.ClearPolicy{bytespool.ClearOnGet, bytespool.ClearOnRelease} {
		p := bytespool.NewCapacityPools(64, 4096, bytespool.WithClear(policy))
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
