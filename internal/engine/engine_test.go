package engine

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

func newPool(c Config) *Pool {
	if c.MaxSize == 0 {
		c.MinSize, c.MaxSize = 2, 4<<20
	}
	p := new(Pool)
	p.Init(c)
	return p
}

// onBothEngines runs a test on the portable engine, and on the pinned one where
// this build has it.
func onBothEngines(t *testing.T, f func(t *testing.T, c Config)) {
	t.Run("portable", func(t *testing.T) { f(t, Config{Portable: true}) })
	if rt.Pinned {
		t.Run("pinned", func(t *testing.T) { f(t, Config{}) })
	}
}

// onAllKinds is onBothEngines for pools with and without steps.
func onAllKinds(t *testing.T, f func(t *testing.T, c Config)) {
	onBothEngines(t, func(t *testing.T, c Config) {
		for _, c.Steps = range []int{1, 2, 4} {
			t.Run("steps="+strconv.Itoa(c.Steps), func(t *testing.T) { f(t, c) })
		}
	})
}

// quietly runs f on one thread and without collections, so that the last slice
// released is the next one handed out.
func quietly(t *testing.T, f func()) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range 3 { // what follows a collection may still be going on, and may arm again
		done := make(chan bool)
		runtime.SetFinalizer(new([]byte), func(*[]byte) { close(done) })
		runtime.GC()
		<-done
	}
	f()
}

// eventually polls until ok returns true. Cleanups run some time after
// runtime.GC returns.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if ok() {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

func TestNewLengthAndCapacity(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		for _, bounds := range [][2]int{{2, 4 << 20}, {2, 10000}, {100, 10000}, {512, 4096}, {7, 7}, {4096, 16}, {-5, 0}} {
			c.MinSize, c.MaxSize = bounds[0], bounds[1]
			p := newPool(c)
			lo, hi := p.Sizes()
			for _, size := range []int{-1, 0, 1, 2, 3, 4, 5, 63, 64, 65, 99, 100, 120, 128, 4096, 4097, 9000, 10000, 10001, 16384, 16385, 1 << 20} {
				for range 3 { // fresh, then reused
					b := p.New(size)
					g := p.grid
					want := max(g.Capacity(g.ClassOf(max(size, 2))), g.Capacity(g.ClassOf(lo)))
					if size > hi {
						want = size
					}
					if b == nil || len(b) != max(size, 0) || cap(b) != want {
						t.Fatalf("bounds %v: New(%d): nil %v, len %d, cap %d; want cap %d", bounds, size, b == nil, len(b), cap(b), want)
					}
					kept := p.Release(b)
					if fits := cap(b) >= g.Capacity(g.ClassOf(lo)) && (cap(b) <= hi || cap(b) == g.Capacity(g.ClassOf(hi))); kept != fits {
						t.Fatalf("bounds %v: Release(cap %d) = %v, want %v", bounds, cap(b), kept, fits)
					}
				}
			}
		}
	})
}

// A slice is never longer than its memory: one that is handed out from a foreign
// slice's memory lies within it.
func TestForeignSlices(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 100, 10000
		p := newPool(c)
		quietly(t, func() {
			for n := 0; n < 40000; n += 1 + n/50 {
				b := make([]byte, n)
				base := unsafe.SliceData(b)
				if kept := p.Release(b); kept != (n >= 128 && n <= 10000 || n == 16384) {
					t.Fatalf("Release(cap %d) = %v", n, kept)
				} else if !kept {
					continue
				}
				largest := 1 << (log2(n)) // the largest class that fits
				r := p.New(min(largest, 10000))
				if unsafe.SliceData(r) != base {
					t.Fatalf("released cap %d: the class of %d bytes did not get it", n, largest)
				}
				if cap(r) > n {
					t.Fatalf("released cap %d, got back cap %d", n, cap(r))
				}
			}
		})
		p.Release(nil)
		p.Release([]byte{})
		p.Release(make([]byte, 300)[100:])
		p.Release(make([]byte, 0, 1<<25))
	})
}

// A slice that New allocates outside the classes is not released into one. Where the
// largest size is no power of two, the largest class is above it.
func TestLargestSizeIsNoClass(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 2, 10000
		p := newPool(c)
		o := carriers(p)
		for range 100 {
			b := p.New(12000)
			if cap(b) != 12000 || p.Release(b) {
				t.Fatalf("a slice of capacity %d was kept", cap(b))
			}
			if o.Put(&carrier{b: b}, cap(b)) != Foreign {
				t.Fatal("an object with such a slice was kept")
			}
		}
		if s := p.Stats(); len(s.Classes) > 0 || s.OutCount != 100 || s.TooLarge != 100 {
			t.Errorf("%+v", s)
		}
	})
}

// Above the largest class a slice has the capacity asked for, whatever that is.
func TestOutsideIsExact(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 2, 4096
		p := newPool(c)
		for n := 4097; n < 4300; n++ {
			if b := p.New(n); len(b) != n || cap(b) != n || p.CapacityOf(n) != n || p.Release(b) {
				t.Fatalf("New(%d) has length %d and capacity %d, is charged %d, or was kept", n, len(b), cap(b), p.CapacityOf(n))
			}
		}
	})
}

// A slice without memory is rejected, whatever classes there are: no class may be found
// for a capacity of 0.
func TestNoMemory(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 2, math.MaxInt
		p := newPool(c)
		for k := range p.classes { // so that the fast path has where to push
			if k > 0 {
				c := p.class(&p.row, k)
				c.Put(magazine.ItemOf(make([]byte, 2)))
				c.CountPuts(-1)
			}
		}
		for _, b := range [][]byte{nil, {}, make([]byte, 1)} {
			if p.Release(b) || len(p.Stats().Classes) > 0 {
				t.Errorf("a slice of capacity %d was kept: %+v", cap(b), p.Stats())
			}
		}
	})
}

func log2(n int) (k int) {
	for n > 1 {
		n /= 2
		k++
	}
	return k
}

func TestLastInFirstOut(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		p := newPool(c)
		quietly(t, func() {
			var bs [200][]byte
			for i := range bs {
				bs[i] = p.New(100)
			}
			for i, b := range bs {
				p.Release(b)
				if i%3 == 0 {
					if r := p.New(128); &r[0] != &b[0] {
						t.Fatalf("release %d: the next slice is another", i)
					} else {
						p.Release(r)
					}
				}
			}
		})
	})
}

// The stacks and the depot lose nothing: after a burst all slices are idle again.
func TestBurstIsKept(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := newPool(c)
		quietly(t, func() {
			seen := make(map[*byte]bool)
			bs := make([][]byte, 1000)
			for round := range 5 {
				for i := range bs {
					bs[i] = p.New(64)
					if base := &bs[i][0]; round == 0 {
						seen[base] = true
					} else if !seen[base] {
						t.Fatalf("round %d allocated", round)
					}
				}
				rand.Shuffle(len(bs), func(i, j int) { bs[i], bs[j] = bs[j], bs[i] })
				for _, b := range bs {
					p.Release(b)
				}
			}
			if n := p.Stats().Classes[0].Misses; n != uint64(len(bs)) {
				t.Errorf("%d misses, but %d slices", n, len(bs))
			}
		})
	})
}

// A goroutine gets what another one released, whatever their stripes, even after a
// collection, and it counts as a hit.
func TestAnyGoroutineGets(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		for _, aged := range []bool{false, true} {
			p := newPool(c)
			stay := make(chan bool) // so that the stacks, and thus the stripes, differ
			defer close(stay)
			quietly(t, func() {
				for i := range 50 {
					p.Release(make([]byte, 64))
					if aged {
						ageNow(p)
					}
					got := make(chan bool)
					go func() {
						p.New(64)
						got <- true
						<-stay
					}()
					<-got
					if s := p.Stats().Classes[0]; s.Misses > 0 || s.Idle > 0 {
						t.Fatalf("slice %d, aged %v: %+v", i, aged, s)
					}
				}
			})
		}
	})
}

// Many goroutines stamp their slices and check that the stamps stay, while the number of
// processors changes, collections run and the pool is trimmed. This finds memory that
// has two owners.
func TestNoMemoryInTwoHands(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		testTwoHands(t, newPool(c))
		c.Budget = 64 << 10
		testTwoHands(t, newPool(c))
		c.Budget, c.Steps = 0, 4
		testTwoHands(t, newPool(c))
	})
}

func testTwoHands(t *testing.T, p *Pool) {
	const goroutines = 24
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var (
		stop atomic.Bool
		wg   sync.WaitGroup
		hand = make(chan []byte, 64)
	)
	stamp := func(b []byte, s uint64) {
		binary.LittleEndian.PutUint64(b, s)
		binary.LittleEndian.PutUint64(b[len(b)-8:], s)
	}
	check := func(b []byte, s uint64) {
		if x, y := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[len(b)-8:]); x != s || y != s {
			t.Errorf("memory in two hands: stamped %x, found %x and %x", s, x, y)
			stop.Store(true)
		}
	}
	for g := range goroutines {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(g), 1))
			type held struct {
				b []byte
				s uint64
			}
			var mine []held
			for i := uint64(0); !stop.Load(); i++ {
				b := p.New(16 + rnd.IntN(1000))
				s := uint64(g)<<56 | i
				stamp(b, s)
				mine = append(mine, held{b, s})
				if rnd.IntN(16) == 0 {
					runtime.Gosched()
				}
				for len(mine) > rnd.IntN(80) {
					k := rnd.IntN(len(mine))
					h := mine[k]
					mine[k] = mine[len(mine)-1]
					mine = mine[:len(mine)-1]
					check(h.b, h.s)
					switch {
					case rnd.IntN(4) > 0:
						p.Release(h.b)
					default: // somebody else releases it
						select {
						case hand <- h.b:
						default:
							p.Release(h.b)
						}
						select {
						case b := <-hand:
							p.Release(b)
						default:
						}
					}
				}
			}
		})
	}
	for i := range testenv.Rounds(60) {
		switch i % 4 {
		case 0:
			runtime.GOMAXPROCS(1 + i%7)
		case 1:
			runtime.GC()
		case 2:
			p.Trim()
		}
		p.Stats()
		time.Sleep(time.Millisecond)
	}
	stop.Store(true)
	wg.Wait()
}

func idle(p *Pool) (n int64) {
	for _, c := range p.Stats().Classes {
		n += int64(c.Idle) * int64(c.Capacity)
	}
	return n
}

func TestStatsAreExact(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 64, 1<<16
		p := newPool(c)
		const goroutines, rounds = 16, 2000
		var wg sync.WaitGroup
		for g := range goroutines {
			wg.Go(func() {
				rnd := rand.New(rand.NewPCG(uint64(g), 3))
				var mine [][]byte
				for range rounds {
					mine = append(mine, p.New(1000))
					if rnd.IntN(50) == 0 {
						p.Trim()
					}
					for len(mine) > rnd.IntN(100) {
						p.Release(mine[len(mine)-1])
						mine = mine[:len(mine)-1]
					}
				}
				for _, b := range mine {
					p.Release(b)
				}
				p.Release(make([]byte, 10))
				p.New(1<<16 + 1)
				p.Release(make([]byte, 1<<17)) // after New, or it would be taken for one that has grown
			})
		}
		wg.Wait()
		s := p.Stats()
		if len(s.Classes) != 1 {
			t.Fatalf("%d classes were used, want 1: %+v", len(s.Classes), s.Classes)
		}
		cs := s.Classes[0]
		const n = goroutines * rounds
		if cs.Capacity != 1024 || cs.Gets != n || cs.Puts != n || cs.Dropped.OverBudget != 0 {
			t.Errorf("%+v; want %d gets and puts of 1024 bytes", cs, n)
		}
		if cs.Misses == 0 || cs.Hits()+cs.Misses != cs.Gets || cs.Puts != cs.Hits()+cs.Idle+cs.Dropped.Aged+cs.Dropped.Trimmed {
			t.Errorf("the books do not balance: %+v", cs)
		}
		if s.TooSmall != goroutines || s.TooLarge != goroutines || s.OutCount != goroutines || s.OutBytes != goroutines*(1<<16+1) {
			t.Errorf("outside the classes: %+v", s)
		}
		p.Trim()
		if after := p.Stats().Classes[0]; after.Idle != 0 || after.Dropped.Trimmed != cs.Dropped.Trimmed+cs.Idle {
			t.Errorf("after Trim: %+v; before: %+v", after, cs)
		}
	})
}

// Counters are not lost when the table of processors grows.
func TestGrowingTableKeepsCounters(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		p := newPool(c)
		var total uint64
		for _, procs := range []int{1, 4, 2, 9, 17, 1} {
			runtime.GOMAXPROCS(procs)
			var wg sync.WaitGroup
			for range 4 * procs {
				wg.Go(func() {
					for range 500 {
						p.Release(p.New(200))
					}
				})
				total += 500
			}
			wg.Wait()
			if cs := p.Stats().Classes[0]; cs.Gets != total || cs.Puts != total {
				t.Fatalf("after GOMAXPROCS %d: %d gets and %d puts, want %d", procs, cs.Gets, cs.Puts, total)
			}
		}
	})
}

func TestClear(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		quietly(t, func() {
			dirty := func(b []byte) {
				for i := range b[:cap(b)] {
					b[:cap(b)][i] = 0xFF
				}
			}
			c.Clear = ClearOnGet
			p := newPool(c)
			for range 100 {
				b := p.New(1000)
				if i := firstNonZero(b); i >= 0 {
					t.Fatalf("ClearOnGet: byte %d is not zero", i)
				}
				dirty(b)
				p.Release(b)
			}
			if b := p.New(5 << 20); firstNonZero(b) >= 0 {
				t.Error("ClearOnGet: a slice above the largest class is not clear")
			}

			c.Clear = ClearOnRelease
			p = newPool(c)
			for range 100 {
				b := p.New(1000)
				dirty(b)
				p.Release(b[:10])
				again := p.New(1000)
				if &again[0] != &b[0] {
					t.Fatal("another slice came back")
				}
				if i := firstNonZero(again[:cap(again)]); i >= 0 {
					t.Fatalf("ClearOnRelease: byte %d is not zero after the release", i)
				}
				p.Release(again)
			}
			for _, n := range []int{1, 5<<20 + 1, 16 << 20} {
				b := make([]byte, n)
				dirty(b)
				kept := p.Release(b[:0])
				sanitize.Reused(b) // nobody else has it, and the test looks
				if kept || firstNonZero(b) >= 0 {
					t.Errorf("ClearOnRelease: a slice of %d bytes was kept (%v) or not cleared", n, kept)
				}
			}
		})
	})
}

func firstNonZero(b []byte) int {
	for i, x := range b {
		if x != 0 {
			return i
		}
	}
	return -1
}

func TestReconfigureWhileInUse(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := newPool(c)
		var stop atomic.Bool
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for !stop.Load() {
					for _, size := range []int{1, 100, 600, 5000, 100_000} {
						b := p.New(size)
						if len(b) != size {
							t.Errorf("New(%d) has length %d", size, len(b))
						}
						for i := range b[:cap(b)] { // all of it is there
							b[:cap(b)][i] = 1
						}
						p.Release(b)
					}
				}
			})
		}
		for i := range 50 {
			p.Reconfigure(1<<(i%10), 1<<(20-i%14)+i)
			time.Sleep(100 * time.Microsecond)
		}
		stop.Store(true)
		wg.Wait()
		p.Reconfigure(512, 4096)
		p.Trim() // some may be as large as New made them while they were above the largest size
		if b := p.New(10); cap(b) != 512 {
			t.Errorf("New(10) has capacity %d, want 512", cap(b))
		}
		if n := idle(p); p.Release(make([]byte, 8192)) || p.Release(make([]byte, 256)) || n > 64<<20 {
			t.Errorf("the last configuration does not hold; %d bytes idle", n)
		}
	})
}

func TestImpossibleSizePanics(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) == 4 {
		t.Log("an int of 32 bits holds no impossible size")
		return
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		defer func() {
			if s, ok := recover().(string); !ok || !strings.Contains(s, "larger than any slice") {
				t.Errorf("panic with %q", s)
			}
		}()
		size := uint64(1) << 60
		newPool(c).New(int(size))
	})
}

func TestZeroPoolKeepsNothing(t *testing.T) {
	var p Pool
	p.Reconfigure(2, 1024)
	b := p.New(100)
	if len(b) != 100 || cap(b) != 100 || p.Release(b) || p.Trim() != 0 {
		t.Errorf("len %d, cap %d", len(b), cap(b))
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		p := newPool(c)
		bs := make([][]byte, 300)
		f := func() {
			for i := range bs {
				bs[i] = p.New(1 << (i % 20))
			}
			for _, b := range bs {
				p.Release(b)
			}
		}
		quietly(t, func() { // a collection would make stacks victims
			f()
			if sanitize.Enabled { // which allocates
				return
			}
			n := testing.AllocsPerRun(100, f)
			for range 3 { // what follows an earlier collection may allocate meanwhile, in another goroutine
				n = min(n, testing.AllocsPerRun(100, f))
			}
			if n > 0 {
				t.Errorf("%v allocations for %d pairs", n, len(bs))
			}
		})
	})
}

// The fast path of the pool's own engine, and no other, serves a class that has records.
func TestFastPathIsOpen(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		for _, c.Clear = range []Clear{ClearNever, ClearOnGet, ClearOnRelease} {
			p := newPool(c)
			p.Release(p.New(64))
			k := p.class(&p.row, 6)
			if want := c.Clear != ClearOnRelease && !sanitize.Enabled; isOpen(k) != want {
				t.Errorf("Clear %d: open: %v, want %v", c.Clear, isOpen(k), want)
			}
		}
	})
}

// isOpen reports whether the fast paths serve c, which has records. They belong to processors
// in the pinned engine, and to stripes in the portable one.
func isOpen(c *class) bool {
	if l := c.Stripe(); l != nil {
		l.Unlock()
		return true
	}
	return c.Record(0) != nil
}

// Statistics have all classes, up to the largest there is.
func TestStatsHaveAllClasses(t *testing.T) {
	for _, steps := range []int{1, 2, 4} {
		p := newPool(Config{MinSize: 2, MaxSize: math.MaxInt, Options: stats.Options{Steps: steps}})
		last := p.grid.Last()
		for k := magazine.FirstClass; k <= last; k++ {
			p.class(&p.row, k).CountPuts(k)
		}
		s := p.Stats()
		if len(s.Classes) != last-magazine.FirstClass+1 {
			t.Fatalf("%d classes, want %d", len(s.Classes), last-magazine.FirstClass+1)
		}
		for i, c := range s.Classes {
			if k := i + magazine.FirstClass; c.Capacity != p.grid.Capacity(k) || c.Puts != uint64(k) {
				t.Errorf("class %d: %+v", k, c)
			}
		}
	}
}
