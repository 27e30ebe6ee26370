package main

import (
	"encoding/binary"
	"strings"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct008Alike = []program{
	{oldOneReleased, "append into a new array, and the old one is released too"},
	{bufferGrows, "a Buffer grows, and the array it left goes back"},
	{lengthFirst, "the length of a frame is written before append moves the content"},
	{pointerPassed, "a callee grows by a pointer to the slice"},
}

func oldOneReleased() {
	pooled := append(bytespool.Make(8), "12345678"...)
	grown := append(pooled, strings.Repeat("9", 100)...)
	bytespool.Release(pooled)
	use(grown[0])
}

func lengthFirst() {
	b := append(bytespool.Make(len("0000")), "0000"...)
	defer bytespool.Release(b)
	binary.BigEndian.PutUint32(b, 704)
	frame := append(b, strings.Repeat("content", 100)...)
	use(frame[3])
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
