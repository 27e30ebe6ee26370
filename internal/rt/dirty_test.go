package rt

import (
	"math"
	"runtime"
	"strconv"
	"testing"
	"unsafe"
)

func TestDirtyBytes(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 31, 32, 33, 1000, 1024, 4097, 32 << 10, 32<<10 + 1, 1 << 20, 5<<20 + 3} {
		b := DirtyBytes(n)
		if b == nil || len(b) != n || cap(b) != n {
			t.Fatalf("DirtyBytes(%d): nil %v, len %d, cap %d", n, b == nil, len(b), cap(b))
		}
		for i := range b {
			b[i] = byte(i)
		}
		runtime.GC() // an array that is shorter than it says is in somebody's way
		for i := range b {
			if b[i] != byte(i) {
				t.Fatalf("DirtyBytes(%d): byte %d changed", n, i)
			}
		}
	}
}

// Two results never overlap, neither when they are small enough for the runtime
// to combine them in one block.
func TestDirtyBytesDistinct(t *testing.T) {
	const n = 3
	seen := make(map[uintptr]bool)
	var keep [][]byte
	for range 1000 {
		b := DirtyBytes(n)
		keep = append(keep, b)
		for i := range b {
			p := uintptr(unsafe.Pointer(&b[i]))
			if seen[p] {
				t.Fatal("two slices share a byte")
			}
			seen[p] = true
		}
	}
	runtime.KeepAlive(keep)
}

func TestDirtyBytesPanics(t *testing.T) {
	sizes := []int{-1, math.MinInt}
	if strconv.IntSize == 64 { // a 32-bit machine may well have the 2 GiB
		sizes = append(sizes, math.MaxInt, math.MaxInt-1)
	}
	for _, n := range sizes {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("DirtyBytes(%d) did not panic", n)
				}
			}()
			DirtyBytes(n)
		}()
	}
}
