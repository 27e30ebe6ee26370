package main

import (
	"runtime"
	"strings"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	compat "github.com/octet-go/octet/compat/bytespool"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

var oct004Alike = []program{
	{subSliceHeld, "a sub-slice keeps the slice through collections"},
	{keptByProgram, "a cache keeps its slices for the life of the program"},
	{sizesChanged, "InitDefaultPools and SetCapacity while slices are in use"},
}

func subSliceHeld() {
	b := bytespool.New(4096)
	b[100] = 7
	middle := b[100:200]
	for range 4 {
		runtime.GC()
	}
	if middle[0] != 7 {
		panic("changed while in use")
	}
	kept = middle // for good: only the whole could be released
}

func keptByProgram() {
	cache := map[int][]byte{}
	for i := range 100 {
		cache[i] = bytespool.New(64)
	}
	kept = cache
	runtime.GC()
}

func sizesChanged() {
	defer compat.InitDefaultPools(compat.MinSize(), compat.MaxSize()) // for the programs that follow
	b, c := bytespool.New(100), bytespool.New(1<<20)
	buf := buffer.Get()
	buf.WriteString("from the first pools")
	compat.InitDefaultPools(256, 64<<10)
	earlier.SetCapacity(128, 32<<10)
	buf.WriteString(strings.Repeat(" grown", 100))
	d := bytespool.New(300)
	other := earlier.Make(20000)
	for range 100 {
		other.WriteString("from the second")
	}
	buf.Release()
	other.Release()
	for _, b := range [][]byte{b, c, d} {
		b[0] = 1
		bytespool.Release(b)
	}
}
