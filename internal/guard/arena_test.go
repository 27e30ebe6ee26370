//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/octet-go/octet/internal/emulator"
	"github.com/octet-go/octet/internal/postmortem"
	"github.com/octet-go/octet/internal/rt"
)

// eachMemory runs a test with every way to get memory that this system has. What the test
// has mapped goes with it: a process may have some ten thousand mappings.
func eachMemory(t *testing.T, f func(t *testing.T, a *arena)) {
	for name, m := range memories() {
		t.Run(name, func(t *testing.T) {
			a, err := newArena(m)
			if err != nil {
				t.Fatal(err)
			}
			f(t, a)
			for _, r := range reserved(m) {
				b := unsafe.Slice(*(**byte)(unsafe.Pointer(&r.start)), r.end-r.start)
				if err := syscall.Munmap(b); err != nil {
					t.Errorf("%d bytes cannot be unmapped: %v", len(b), err)
				}
			}
		})
	}
}

func mustAlloc(t *testing.T, a *arena, n int) []byte {
	t.Helper()
	b, ok := a.alloc(n, n, "", nil)
	if !ok {
		t.Fatalf("a request for %d bytes was refused", n)
	}
	return b
}

func mustFree(t *testing.T, a *arena, b []byte) {
	t.Helper()
	if !a.free(b, nil) {
		t.Fatalf("%d bytes at %#x cannot be freed", cap(b), rt.Address(b))
	}
}

// faults returns where f faulted, or 0 if that is not known.
func faults(f func()) (p uintptr, ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if e := recover(); e != nil {
			if at, known := e.(interface{ Addr() uintptr }); known {
				p = at.Addr()
			}
			ok = true
		}
	}()
	f()
	return 0, false
}

var sink byte

// mustFault checks that the byte at b[i] can be neither read nor written. It may
// lie behind b.
func mustFault(t *testing.T, b []byte, i int) {
	t.Helper()
	at := byteAt(b, i)
	want := rt.Address(b) + uintptr(i)
	switch {
	case runtime.GOARCH == "s390x":
		want &^= 4095 // it names the page alone
	case runtime.GOARCH == "arm" && emulator.Running():
		want = 0 // QEMU does not name it
	}
	if p, ok := faults(func() { sink = *at }); !ok || p != want {
		t.Fatalf("byte %d of %d, at %#x: a read faulted: %v, at %#x", i, len(b), want, ok, p)
	}
	if p, ok := faults(func() { *at = 1 }); !ok || p != want {
		t.Fatalf("byte %d of %d, at %#x: a write faulted: %v, at %#x", i, len(b), want, ok, p)
	}
}

// mustFaultFreed is mustFault for a slice that was freed. Of a large one chunks give the
// addresses back to the system, and they may be anybody's at once, also the runtime's.
func mustFaultFreed(t *testing.T, a *arena, b []byte, i int) {
	t.Helper()
	if _, ok := a.mem.(*chunks); ok && len(b) > chunkSize/2 && !a.owns(b) {
		return
	}
	mustFault(t, b, i)
}

func TestFaults(t *testing.T) {
	sizes := []int{65536, 1 << 20, 1<<20 - 4096, 1<<20 + 1, 3 << 20, 3<<20 + 5}
	for n := 1; n <= 5000; n += 1 + n/16 {
		sizes = append(sizes, n)
	}
	sizes = append(sizes, 4095, 4096, 4097)
	eachMemory(t, func(t *testing.T, a *arena) {
		for _, n := range sizes {
			b := mustAlloc(t, a, n)
			if len(b) != n || cap(b) != n {
				t.Fatalf("got length %d and capacity %d, want %d", len(b), cap(b), n)
			}
			if b[0] != 0 || b[n-1] != 0 {
				t.Fatalf("%d bytes are not zero", n)
			}
			for i := range b {
				b[i] = byte(i)
			}
			mustFault(t, b, n)
			mustFree(t, a, b)
			for _, i := range []int{0, n / 2, n - 1, n} {
				mustFaultFreed(t, a, b, i)
			}
		}
		if n, _, refused := a.count(); n != 0 || refused != 0 {
			t.Errorf("%d live, %d refused, want none", n, refused)
		}
	})
}

// TestFree: a slice that does not begin where a live one does is refused.
func TestFree(t *testing.T) {
	eachMemory(t, func(t *testing.T, a *arena) {
		b := mustAlloc(t, a, 5000)
		for _, bad := range [][]byte{nil, make([]byte, 5000), b[1:], b[5000:]} {
			if a.free(bad, nil) {
				t.Errorf("free took %d bytes of another slice", cap(bad))
			}
		}
		b[4999] = 1
		mustFree(t, a, b[:0:10])
		if a.free(b, nil) {
			t.Error("free took a slice twice")
		}
		if n, _, _ := a.count(); n != 0 {
			t.Errorf("%d live, want none", n)
		}
	})
}

// TestNeighbours: whole blocks are retired around live slices, in every order, and
// these keep their content.
func TestNeighbours(t *testing.T) {
	eachMemory(t, func(t *testing.T, a *arena) {
		rng := rand.New(rand.NewPCG(1, 2))
		type slice struct {
			b    []byte
			fill byte
		}
		var kept []slice
		for range 5000 {
			n := 1 + rng.IntN(9000)
			if rng.IntN(500) == 0 {
				n = 1<<20 + rng.IntN(3<<20)
			}
			s := slice{mustAlloc(t, a, n), byte(rng.Uint32())}
			for i := 0; i < n; i += 1 + n/16 {
				if s.b[i] != 0 {
					t.Fatalf("byte %d of a new slice of %d is %d", i, n, s.b[i])
				}
				s.b[i] = s.fill
			}
			kept = append(kept, s)
			for len(kept) > 300 || (len(kept) > 0 && rng.IntN(2) == 0) {
				i := rng.IntN(len(kept))
				s := kept[i]
				kept[i] = kept[len(kept)-1]
				kept = kept[:len(kept)-1]
				for i := 0; i < len(s.b); i += 1 + len(s.b)/16 {
					if s.b[i] != s.fill {
						t.Fatalf("byte %d of %d was %d, is %d", i, len(s.b), s.fill, s.b[i])
					}
				}
				mustFree(t, a, s.b)
				mustFaultFreed(t, a, s.b, len(s.b)-1)
			}
			if rng.IntN(300) == 0 {
				for _, s := range kept {
					mustFree(t, a, s.b)
				}
				kept = nil
			}
		}
		for _, s := range kept {
			mustFree(t, a, s.b)
		}
		if a.n != 0 || len(a.live) != 0 || a.maps != a.mem.systemMaps(false) {
			t.Errorf("%d live, %d known, %d mappings for blocks, want none and those of the block that is cut", a.n, len(a.live), a.maps)
		}
	})
}

// TestDefaultBound asks for 100,000 slices, three quarters of them to live. The
// process must survive that, which it does not if it runs out of mappings.
func TestDefaultBound(t *testing.T) {
	eachMemory(t, func(t *testing.T, a *arena) {
		var kept [][]byte
		for i := range 100_000 {
			b, ok := a.alloc(1, 1, "", nil)
			if !ok {
				continue
			}
			if i%4 != 0 {
				kept = append(kept, b)
			} else {
				b[0] = 1
				mustFree(t, a, b)
			}
		}
		n, bound, refused := a.count()
		_, maps := a.mem.limits()
		t.Logf("%d live of %d, %d refused; blocks take %d mappings of %d", n, bound, refused, a.maps, maps)
		if n != len(kept) || n > bound || a.maps > maps {
			t.Errorf("a bound does not hold: %d were handed out", len(kept))
		}
		if n < bound && a.maps+a.mem.systemMaps(false) <= maps {
			t.Error("requests were refused before a bound was reached")
		}
		for _, b := range kept {
			mustFree(t, a, b)
		}
	})
}

func TestSizes(t *testing.T) {
	eachMemory(t, func(t *testing.T, a *arena) {
		for _, n := range []int{math.MaxInt, math.MaxInt - 4096, math.MaxInt - 3*4096, math.MaxInt / 2} {
			b, ok := a.alloc(n, n, "", nil)
			if !ok {
				continue
			}
			mustFree(t, a, b)
			if n > math.MaxInt-4096 || uint64(math.MaxInt) > 1<<32 {
				t.Errorf("%d bytes were had", n)
			}
		}
		mustPanic(t, "a request for no bytes", func() { a.alloc(0, 0, "", nil) })
		mustPanic(t, "a request for -1 bytes", func() { a.alloc(-1, -1, "", nil) })
		mustFree(t, a, mustAlloc(t, a, 1))
	})
}

func TestConcurrent(t *testing.T) {
	eachMemory(t, func(t *testing.T, a *arena) {
		tab, err := postmortem.NewTable()
		if err != nil {
			t.Fatal(err)
		}
		defer tab.Close()
		a.table.Store(tab)
		const goroutines, rounds = 32, 500
		passed := make(chan []byte, 2*goroutines)
		free := func(b []byte) {
			if !a.free(b, nil) {
				t.Error("a live slice cannot be freed")
			}
		}
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(uint64(g), 0))
				mark := []byte{byte(g), 1, 2, 3}
				for range rounds {
					n := 4 + rng.IntN(20000)
					b, ok := a.alloc(n, n, "p", nil)
					if !ok {
						t.Errorf("%d bytes were refused", n)
						return
					}
					copy(b[n-4:], mark)
					if !a.owns(b) {
						t.Error("not owned")
					}
					if !bytes.Equal(b[n-4:], mark) {
						t.Error("somebody else writes here")
					}
					// Most are freed by another goroutine.
					select {
					case passed <- b:
						continue
					default:
						free(b)
					}
					for range goroutines {
						select {
						case b := <-passed:
							free(b)
						default:
						}
					}
				}
			})
		}
		wg.Wait()
		close(passed)
		for b := range passed {
			free(b)
		}
		if n, _, refused := a.count(); refused != 0 || n != 0 || a.maps != a.mem.systemMaps(false) {
			t.Errorf("%d live, %d refused, %d mappings for blocks, want none but for one block", n, refused, a.maps)
		}
	})
}

// failing is memory that the system refuses.
type failing struct {
	memory
	reserving, opening bool
}

var errRefused = errors.New("refused")

func (f *failing) reserve(n int) []byte {
	if f.reserving {
		return nil
	}
	return f.memory.reserve(n)
}

func (f *failing) open(b []byte) error {
	if f.opening {
		return errRefused
	}
	return f.memory.open(b)
}

// TestSystemRefuses: a request that the system refuses is counted and leaves nothing
// behind.
func TestSystemRefuses(t *testing.T) {
	for name, m := range memories() {
		t.Run(name, func(t *testing.T) {
			f := &failing{memory: m}
			a, err := newArena(f)
			if err != nil {
				t.Fatal(err)
			}
			small, large := 100, 2*m.block()
			try := func(n int, want bool) {
				t.Helper()
				b, ok := a.alloc(n, n, "", nil)
				if ok != want {
					t.Fatalf("%d bytes: %v, want %v", n, ok, want)
				}
				if ok {
					b[0] = 1
					mustFree(t, a, b)
				}
			}
			fill := func() { a.cut.used = len(a.cut.mem) } // the next request needs another block
			f.opening = true
			try(small, false)
			try(large, false)
			f.opening, f.reserving = false, true
			try(large, false)
			fill()
			try(small, false)
			f.reserving = false
			try(small, true)
			try(large, true)
			if n, _, refused := a.count(); n != 0 || refused != 4 || a.maps != m.systemMaps(false) {
				t.Errorf("%d live, %d refused, %d mappings for blocks, want 0, 4 and those of one block", n, refused, a.maps)
			}
			f.reserving = true
			if _, err := newArena(f); err == nil {
				t.Error("an arena without addresses was made")
			}
		})
	}
}

func TestAllocations(t *testing.T) {
	eachMemory(t, func(t *testing.T, a *arena) {
		tab, err := postmortem.NewTable()
		if err != nil {
			t.Fatal(err)
		}
		defer tab.Close()
		a.table.Store(tab)
		pcs := callers()
		if got := testing.AllocsPerRun(1000, func() {
			b, _ := a.alloc(4096, 4096, "pool", pcs)
			a.free(b, pcs)
		}); got != 0 {
			t.Errorf("%v allocations, want 0", got)
		}
	})
}

// byteAt returns the address of b[i], which may lie behind b.
func byteAt(b []byte, i int) *byte {
	return (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b)), i))
}
