package main

import (
	"slices"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct006Alike = []program{
	{shorterLength, "b[:n] and b[:0] are the whole, whatever their length"},
	{longerLength, "b[:cap(b)] is released"},
	{clipped, "slices.Clip and b[:n:n] of a slice that is full"},
	{nextOfBuffer, "Next and ReadByte consume a Buffer"},
	{oddSizes, "sizes that are no powers of two, in odd pools too"},
}

func shorterLength() {
	for _, n := range []int{0, 1, 50, 100} {
		b := bytespool.New(100)
		bytespool.Release(b[:n])
	}
}

func longerLength() {
	b := bytespool.New(100)
	b = b[:cap(b)]
	b[len(b)-1] = 1
	bytespool.Release(b)
}

func clipped() {
	for range 100 {
		b := bytespool.New(4096)
		bytespool.Release(slices.Clip(b))
		b = bytespool.New(3000)[:4096]
		bytespool.Release(b[:4096:4096])
	}
}

func nextOfBuffer() {
	buf := buffer.Get()
	buf.WriteString("4711 and the rest")
	use(buf.Next(5))
	c, _ := buf.ReadByte()
	use(c)
	buf.WriteString(" of it")
	buf.Release()
}

func oddSizes() {
	p := bytespool.NewPool(bytespool.WithSizes(100, 10000))
	for _, n := range []int{1, 99, 100, 127, 128, 129, 9000, 10000, 10001, 20000} {
		b := p.New(n)
		b[n-1] = 1
		p.Release(b)
	}
	q := bytespool.NewBufPool(10000)
	for range 10 {
		b := q.Get()
		b[9999] = 1
		q.Put(b)
	}
}
