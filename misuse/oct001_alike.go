package main

import (
	"io"
	"runtime"
	"strings"

	wire "github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct001Alike = []program{
	{decodedFirst, "a Decoder has read all before its slice is released"},
	{bytesOutlivedByReference, "a reference keeps the Buffer"},
	{ownBufferReused, "a Buffer that the program declared is ready after Release"},
	{fieldReplaced, "the field B is appended to and replaced"},
	{writtenManyTimes, "thousands of Buffers, one after the other, in sizes up and down"},
	{collectedInBetween, "collections and Trim while slices are in use"},
	{largerThanPool, "slices above the largest size"},
}

func bytesOutlivedByReference() {
	buf := buffer.Get()
	buf.WriteString("kept by a reference")
	p := buf.Bytes()
	buf.RefInc()
	buf.Release()
	use(p[0])
	p[0] = 'K'
	buf.Release()
}

func ownBufferReused() {
	var buf buffer.Buffer
	for range 10 {
		buf.WriteString("a Buffer of the program's own")
		use(buf.Len())
		buf.Release()
	}
	buf.WriteString("once more")
	buf.Release()
	buf.Release()
}

// fieldReplaced does what the documentation of B allows: an array that is replaced by
// assignment is left to the collector.
func fieldReplaced() {
	for i := range 100 {
		buf := buffer.Make(64)
		buf.B = append(buf.B, strings.Repeat("grown by append", i)...)
		use(buf.Len())
		buf.Release()
	}
	buf := buffer.Make(64)
	mine := buf.B
	buf.B = nil
	buf.WriteString("another array")
	buf.Release()
	use(append(mine, "mine now"...))
}

func writtenManyTimes() {
	for i := range 3000 {
		buf := buffer.Make(i % 700)
		for range i % 50 {
			buf.WriteString("0123456789")
		}
		if buf.Len() != i%50*10 {
			panic("lost content")
		}
		buf.Release()
	}
}

func collectedInBetween() {
	var held [][]byte
	for i := range 20 {
		b := bytespool.New(1 << (i % 16))
		clear(b)
		held = append(held, b)
		if i%5 == 0 {
			runtime.GC()
			bytespool.Default().Trim()
		}
	}
	for _, b := range held {
		if b[0] != 0 {
			panic("changed while in use")
		}
		b[len(b)-1] = 1
		bytespool.Release(b)
	}
}

func largerThanPool() {
	b := bytespool.New(4<<20 + 1)
	b[len(b)-1] = 1
	bytespool.Release(b)
	buf := buffer.Make(4<<20 + 1)
	io.CopyN(buf, zeros{}, 100)
	buf.Release()
}

// zeros is a reader without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func decodedFirst() {
	b := append(bytespool.Make(len("\x00\x05hello\x00\x07")), "\x00\x05hello\x00\x07"...)
	d := wire.DecodeBE(b)
	name, n := d.String16(), d.Uint16()
	bytespool.Release(b)
	if name != "hello" || n != 7 {
		panic("decoded something else")
	}
}
