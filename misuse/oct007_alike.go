package main

import (
	"bytes"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// Slices of the program's own may be released if nobody else uses them: it is
// misuse only where foreign=report says so.
var oct007Alike = []program{
	{madeAndGiven, "a slice of make, given away for good"},
	{detachedElsewhere, "what Detach returned is released into the default pools"},
	{betweenPools, "a slice of one pool released into another"},
	{grownByAppend, "the result of the built-in append, if the array was not the pool's"},
	{tooSmallOrLarge, "slices that the pool turns down"},
}

func madeAndGiven() {
	for n := 1; n < 1<<16; n = 2*n + 1 {
		b := make([]byte, n)
		b[0] = 1
		bytespool.Release(b)
	}
}

func detachedElsewhere() {
	buffers := buffer.NewPool(bytespool.NewPool(bytespool.WithSizes(64, 1<<20)))
	for range 20 {
		buf := buffers.Get()
		buf.WriteString("from pools of their own")
		bytespool.Release(buf.Detach())
		buf.Release()
	}
}

func betweenPools() {
	p := bytespool.NewPool(bytespool.WithSizes(64, 4096), bytespool.WithName("p"))
	q := bytespool.NewPool(bytespool.WithSizes(64, 4096), bytespool.WithName("q"))
	for range 100 {
		q.Release(p.New(1000))
		p.Release(q.New(2000))
	}
}

func grownByAppend() {
	var b []byte
	for i := range 1000 {
		b = append(b, byte(i))
	}
	bytespool.Release(b)
	var buf bytes.Buffer
	buf.WriteString("a bytes.Buffer that is not used again")
	bytespool.Release(buf.Bytes())
}

func tooSmallOrLarge() {
	bytespool.Release(make([]byte, 1))
	bytespool.Release(make([]byte, 8<<20))
}
