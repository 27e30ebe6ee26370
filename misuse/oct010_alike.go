package main

import (
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct010Alike = []program{
	{sizeAsNeeded, "each message in a slice of its size"},
	{replacedAfterLarge, "a Buffer that held a large message is replaced"},
	{budgetBounds, "a budget turns down what is too much"},
}

func sizeAsNeeded() {
	for _, n := range []int{100, 1 << 20, 100, 100} {
		b := bytespool.New(n)
		b[n-1] = 1
		bytespool.Release(b)
	}
}

func replacedAfterLarge() {
	buf := buffer.Get()
	for _, n := range []int{100, 1 << 20, 100} {
		buf.Reset()
		buf.Write(make([]byte, n))
		if buf.Cap() > 1<<16 {
			buf.Release()
			buf = buffer.Get()
		}
	}
	buf.Release()
}

func budgetBounds() {
	p := bytespool.NewCapacityPools(1024, 1<<20, bytespool.WithIdleBudget(64<<10))
	for range 20 {
		var held [][]byte
		for range 20 {
			held = append(held, p.New(16<<10))
		}
		for _, b := range held {
			b[0] = 1
			p.Release(b)
		}
	}
}
