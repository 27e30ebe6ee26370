package dirty

import (
	"math"
	"runtime"
	"strconv"
	"testing"
	"unsafe"
)

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 2, 7, 8, 9, 31, 32, 33, 1000, 1024, 4097, 32 << 10, 32<<10 + 1, 1 << 20, 5<<20 + 3} {
		b := Make(n)
		if b == nil || len(b) != n || cap(b) != n {
			t.Fatalf("Make(%d): nil %v, len %d, cap %d", n, b == nil, len(b), cap(b))
		}
		for i := range b {
			b[i] = byte(i)
		}
		runtime.GC() // an array that is shorter than it says is in somebody's way
		for i := range b {
			if b[i] != byte(i) {
				t.Fatalf("Make(%d): byte %d changed", n, i)
			}
		}
	}
}

// Two results never overlap, neither when they are small enough for the runtime
// to combine them in one block.
func TestMakeDistinct(t *testing.T) {
	const n = 3
	seen := make(map[uintptr]bool)
	var keep [][]byte
	for range 1000 {
		b := Make(n)
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

func TestMakePanics(t *testing.T) {
	sizes := []int{-1, math.MinInt}
	if strconv.IntSize == 64 { // a 32-bit machine may well have the 2 GiB
		sizes = append(sizes, math.MaxInt, math.MaxInt-1)
	}
	for _, n := range sizes {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Make(%d) did not panic", n)
				}
			}()
			Make(n)
		}()
	}
}

func BenchmarkMake(b *testing.B) {
	for _, bm := range []struct {
		name string
		size int
	}{{"size=1KiB", 1 << 10}, {"size=8KiB", 8 << 10}, {"size=64KiB", 64 << 10}} {
		b.Run(bm.name+"/of=dirty", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = Make(bm.size)
			}
		})
		b.Run(bm.name+"/of=make", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = make([]byte, bm.size)
			}
		})
	}
}

var sink []byte
