package main

import (
	"encoding/binary"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
)

var overrunAlike = []program{
	{lastBytesRead, "the last bytes of a slice, one by one and as a word"},
	{boundsPanic, "an index out of range panics and is recovered"},
}

func lastBytesRead() {
	b := bytespool.New(128)
	clear(b)
	p := unsafe.Pointer(&b[0])
	use(*(*byte)(unsafe.Add(p, 127)))
	use(*(*uint64)(unsafe.Add(p, 120)))
	use(binary.LittleEndian.Uint64(b[120:]))
	bytespool.Release(b)
}

func boundsPanic() {
	b := bytespool.New(128)
	defer bytespool.Release(b)
	defer func() { use(recover()) }()
	n := cap(b)
	use(b[n])
}
