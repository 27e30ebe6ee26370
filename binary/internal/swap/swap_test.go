package swap

import (
	"bytes"
	"testing"

	"github.com/octet-go/octet/internal/sanitize"
)

// A variant is an implementation for one size. Copy is what this processor runs; the
// loops are tested on all.
type variant struct {
	name string
	size int
	copy func(dst, src []byte)
}

var variants = []variant{
	{"Copy1", 1, func(dst, src []byte) { Copy(dst, src, 1) }},
	{"Copy2", 2, func(dst, src []byte) { Copy(dst, src, 2) }},
	{"Copy4", 4, func(dst, src []byte) { Copy(dst, src, 4) }},
	{"Copy8", 8, func(dst, src []byte) { Copy(dst, src, 8) }},
	{"loop16", 2, loop16},
	{"loop32", 4, loop32},
	{"loop64", 8, loop64},
}

// naive is the obvious loop.
func naive(dst, src []byte, size int) {
	for i := range src {
		first := i - i%size
		dst[first+size-1-i%size] = src[i]
	}
}

// longest exceeds 512 bytes, from which on the kernels align, by two iterations of the
// widest loop, of 128 bytes each. So every path through them is taken, with every
// remainder.
const longest = 512 + 2*128 + 2*32 + 8

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*131 + i>>8 + 1)
	}
	return b
}

// TestEveryLengthAndAlignment copies between all alignments and checks the bytes before
// and after.
func TestEveryLengthAndAlignment(t *testing.T) {
	const guard = 0xa5
	alignments := make([]int, 33)
	for i := range alignments {
		alignments[i] = i
	}
	memory := pattern(longest + 64)
	dst, want := make([]byte, longest+64), make([]byte, longest+64)
	step := 1
	if sanitize.Enabled {
		step = 5 // the sanitizer makes each length slow
	}
	for _, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			for n := 0; n <= longest; n += step * v.size {
				for _, from := range alignments {
					// Each alignment of one side meets the first, the same and
					// one that moves along on the other.
					for _, to := range []int{0, from, (from*5 + n/v.size) % 33} {
						src := memory[from : from+n]
						for i := range dst {
							dst[i], want[i] = guard, guard
						}
						naive(want[to:], src, v.size)
						v.copy(dst[to:to+n], src)
						if !bytes.Equal(dst, want) {
							t.Fatalf("%d bytes from alignment %d to %d:\n got % x\nwant % x", n, from, to, dst, want)
						}
					}
				}
			}
		})
	}
	if !bytes.Equal(memory, pattern(longest+64)) {
		t.Fatal("a source was written to")
	}
}

func TestInPlace(t *testing.T) {
	want := make([]byte, longest)
	for _, v := range variants {
		for n := 0; n <= longest; n += v.size {
			b := pattern(n)
			naive(want, b, v.size)
			v.copy(b, b)
			if !bytes.Equal(b, want[:n]) {
				t.Fatalf("%s of %d bytes in place:\n got % x\nwant % x", v.name, n, b, want[:n])
			}
		}
	}
}

func TestMisusePanics(t *testing.T) {
	for _, misuse := range []struct {
		name     string
		dst, src int
		size     int
	}{
		{"short destination", 56, 64, 8},
		{"length no multiple of 2", 64, 63, 2},
		{"length no multiple of 8", 64, 60, 8},
		{"short length no multiple of 4", 64, 7, 4},
		{"no such element", 64, 6, 3},
		{"no such element", 64, 48, 3},
		{"no such element", 64, 0, 0},
		{"no such element", 64, 0, -1},
		{"no such element", 64, 48, 16},
	} {
		dst := make([]byte, 64)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", misuse.name)
				}
			}()
			Copy(dst[:misuse.dst:misuse.dst], pattern(misuse.src), misuse.size)
		}()
		if !bytes.Equal(dst, make([]byte, 64)) {
			t.Errorf("%s: written before the panic", misuse.name)
		}
	}
}

func TestAllocations(t *testing.T) {
	src, dst := pattern(4096), make([]byte, 4096)
	for _, v := range variants {
		if n := testing.AllocsPerRun(100, func() { v.copy(dst, src) }); n != 0 {
			t.Errorf("%s: %v allocations", v.name, n)
		}
	}
}
