package main

import (
	"strings"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct008Alike = []program{
	{oldOneReleased, "append into a new array, and the old one is released too"},
	{bufferGrows, "a Buffer grows, and the array it left goes back"},
	{pointerPassed, "a callee grows by a pointer to the slice"},
}

func oldOneReleased() {
	pooled := append(bytespool.Make(8), "12345678"...)
	grown := append(pooled, strings.Repeat("9", 100)...)
	bytespool.Release(pooled)
	use(grown[0])
}

func bufferGrows() {
	buf := buffer.Make(8)
	for i := range 12 {
		buf.Write(make([]byte, 1<<i))
	}
	buf.Release()
}

func pointerPassed() {
	b := append(bytespool.Make(8), "12345678"...)
	add := func(b *[]byte, s string) { *b = bytespool.Append(*b, []byte(s)...) }
	add(&b, "more than there was room for")
	bytespool.Release(b)
}
