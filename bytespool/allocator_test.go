package bytespool_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// An allocator is the interface Allocator of
// github.com/apache/arrow-go/v18/arrow/memory.
type allocator interface {
	Allocate(size int) []byte
	Reallocate(size int, b []byte) []byte
	Free(b []byte)
}

var _ allocator = (*bytespool.Allocator)(nil)

// rounds is how often each goroutine of the model tests does something.
var rounds = map[bool]int{false: 1500, true: 300}[sanitize.Enabled]

func isAligned(b []byte) bool { return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%64 == 0 }

// TestAllocatorModel does what callers may do, and holds the content of each slice
// against a copy.
func TestAllocatorModel(t *testing.T) {
	for _, c := range checkedModes {
		for name, opts := range variants {
			t.Run(fmt.Sprintf("%v-%d/%s", c.Mode, c.OneIn, name), func(t *testing.T) {
				found := checktest.Start(t, c)
				a := bytespool.NewAllocator(bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(2, 1<<15)}, opts...)...))
				var wg sync.WaitGroup
				for g := range 3 {
					wg.Go(func() { useAllocator(t, a, rand.New(rand.NewPCG(uint64(g), 9))) })
				}
				wg.Wait()
				for _, f := range found() {
					t.Errorf("%v", &f)
				}
			})
		}
	}
}

func useAllocator(t *testing.T, a allocator, r *rand.Rand) {
	type held struct{ b, want []byte }
	var all []held
	size := func() int { return r.IntN(1 << r.IntN(17)) }
	look := func(h held, what string) bool {
		if !bytes.Equal(h.b, h.want) {
			t.Errorf("%s: %d bytes are not what they should be", what, len(h.b))
			return false
		}
		if len(h.b) > 0 && !isAligned(h.b) {
			t.Errorf("%s: %d bytes are not aligned", what, len(h.b))
			return false
		}
		return true
	}
	for range testenv.Rounds(rounds) {
		if len(all) < 8 && r.IntN(2) == 0 {
			n := size()
			h := held{a.Allocate(n), make([]byte, n)}
			if !look(h, "Allocate") {
				return
			}
			all = append(all, h)
			continue
		}
		if len(all) == 0 {
			continue
		}
		i := r.IntN(len(all))
		h := &all[i]
		if r.IntN(3) == 0 {
			if look(*h, "Free") {
				a.Free(h.b)
			}
			all = append(all[:i], all[i+1:]...)
			continue
		}
		x := byte(r.Uint32())
		for i := range h.b {
			h.b[i], h.want[i] = x, x
		}
		n := size()
		h.b = a.Reallocate(n, h.b)
		want := make([]byte, n)
		copy(want, h.want)
		h.want = want
		if !look(*h, "Reallocate") {
			return
		}
	}
	for _, h := range all {
		if look(h, "the end") {
			a.Free(h.b)
		}
	}
}

// TestReallocateInPlace wants the memory of a slice to stay where its class has room,
// and to be cleared where it was not in use.
func TestReallocateInPlace(t *testing.T) {
	checktest.Start(t, check.Config{})
	pools := bytespool.NewPool(bytespool.WithSizes(64, 1<<20))
	a := bytespool.NewAllocator(pools)
	b := a.Allocate(600)
	first := &b[0]
	for i := range b[:1024] {
		b[:1024][i] = 1
	}
	for _, n := range []int{1024, 10, 0, 1, 800} {
		b = a.Reallocate(n, b)
		if unsafe.SliceData(b) != first || len(b) != n {
			t.Fatalf("Reallocate(%d) moved, or has length %d", n, len(b))
		}
		kept := 0
		for _, x := range b {
			kept += int(x)
		}
		if want := map[int]int{1024: 600, 10: 10}[n]; kept != want {
			t.Errorf("Reallocate(%d) shows %d bytes of before, want %d", n, kept, want)
		}
	}
	b = a.Reallocate(1025, b)
	if unsafe.SliceData(b) == first || pools.Stats().InUse != 1 {
		t.Errorf("Reallocate(1025) did not move, or %d slices are in use", pools.Stats().InUse)
	}
	a.Free(b)
	if b = a.Reallocate(100, nil); len(b) != 100 || !isAligned(b) {
		t.Error("Reallocate of nil")
	}
	odd := misaligned(128)[:100]
	odd[0] = 7
	if b = a.Reallocate(100, odd); len(b) != 100 || b[0] != 7 || !isAligned(b) {
		t.Error("Reallocate of a slice that is not aligned")
	}
	if b = a.Reallocate(-1, b); len(b) != 0 || cap(b) < 128 {
		t.Error("Reallocate to a negative size")
	}
}

func TestAllocatorEdges(t *testing.T) {
	for _, c := range checkedModes {
		found := checktest.Start(t, c)
		a := bytespool.NewAllocator(bytespool.NewPool(bytespool.WithSizes(2, 1<<16)))
		for _, n := range []int{0, -1} {
			if b := a.Allocate(n); b == nil || len(b) != 0 {
				t.Errorf("Allocate(%d) = %v", n, b)
			} else {
				a.Free(b)
			}
		}
		a.Free(nil)
		for _, f := range found() {
			t.Errorf("%v", &f)
		}
	}
	if math.MaxInt == math.MaxInt32 {
		return // no size is too large to try
	}
	for _, n := range []int{math.MaxInt, math.MaxInt - 63, math.MaxInt - 64} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d bytes were allocated", n)
				}
			}()
			bytespool.NewAllocator(bytespool.NewPool(bytespool.WithSizes(2, 1<<16))).Allocate(n)
		}()
	}
}

// misaligned returns n bytes that do not begin at a multiple of 64.
func misaligned(n int) []byte {
	block := make([]byte, n+64)
	skip := int(65-uintptr(unsafe.Pointer(&block[0]))%64) % 64
	return block[skip : skip+n : skip+n]
}

// TestAllocatorTakesApart releases slices into the pool that are not aligned. None of
// them may come back, and each may be the reason for one allocation at most.
func TestAllocatorTakesApart(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("this build keeps what is released for a while")
	}
	checktest.Start(t, check.Config{})
	defer quiet()()
	for name, opts := range variants {
		pools := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(64, 1<<16)}, opts...)...)
		a := bytespool.NewAllocator(pools)
		const n = 5
		for range n {
			pools.Release(misaligned(4096))
		}
		for i := range n {
			b := a.Allocate(4000)
			if !isAligned(b) || cap(b) != 4096 {
				t.Errorf("%s: Allocate %d: not aligned, or capacity %d", name, i, cap(b))
			}
			a.Free(b)
			if s := pools.Stats(); s.InUse != -n {
				t.Errorf("%s: %d are in use, want as many less as were released from elsewhere, %d", name, s.InUse, n)
			}
		}
		b := a.Allocate(4000)
		first := &b[0]
		a.Free(b)
		if b = a.Allocate(4000); &b[0] != first {
			t.Errorf("%s: the aligned slice is not used again", name)
		}
	}
}

// TestMultiplesAreAligned pins what Allocate relies on: Go aligns blocks of all
// multiples of 64 bytes.
func TestMultiplesAreAligned(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("this build puts its own bytes between blocks")
	}
	var keep [][]byte
	for n := 64; n <= 1<<16; n += 64 {
		aligned := true
		for range 8 {
			b := make([]byte, n)
			aligned = aligned && isAligned(b)
			keep = append(keep, b)
		}
		if !aligned {
			t.Errorf("%d bytes are not aligned", n)
		}
		keep = keep[:0]
	}
}

// A slice of an odd capacity that is not aligned is replaced, and counts as its class does.
func TestAllocatorReplacesOdd(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	testenv.Quietly(t)
	p := bytespool.NewPool(bytespool.WithSizes(64, 4096), bytespool.WithLimit(1<<20))
	mem := bytespool.NewAllocator(p)
	for range 100 {
		mem.Allocate(64) // or foreign slices have less in use
	}
	var all [][]byte
	for range 64 {
		all = append(all, make([]byte, 96)) // each begins at a multiple of 32
		p.Release(all[len(all)-1])
	}
	before := p.Stats()
	for i := range all {
		all[i] = mem.Allocate(64)
		if n := p.Stats().Limit.InUse - before.Limit.InUse; n < int64(64*(i+1)) {
			t.Fatalf("%d slices of 64 bytes count %d", i+1, n)
		}
	}
	for _, b := range all {
		mem.Free(b)
	}
	if s := p.Stats(); s.Limit.InUse != before.Limit.InUse || s.InUse != before.InUse || s.Dropped.FrontCut != 0 {
		t.Errorf("after Free: %+v; before: %+v", s, before)
	}
}
