package engine

import (
	"encoding/binary"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/octet-go/octet/internal/magazine"
	"github.com/octet-go/octet/internal/testenv"
)

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
				largest := 1 << (bits.Len(uint(n)) - 1) // the largest class that fits
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

// A slice without memory is rejected, whatever classes there are: no class may be found
// for a capacity of 0.
func TestNoMemory(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 2, math.MaxInt
		p := newPool(c)
		for k := range p.grid.Last() + 1 { // so that the fast path has where to push
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

// Many goroutines stamp their slices, some of which grow, and check that the stamps stay, while the
// number of processors changes, collections run, and the pool is trimmed and gets other sizes. This finds
// memory that has two owners. In the end no more is idle than the budget allows, and the books balance.
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
				if rnd.IntN(8) == 0 {
					p.Release(b)
					b = growTo(p, 16, 16+rnd.IntN(4000), i%2 > 0)
				}
				b = b[:cap(b)]
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
		case 3:
			p.Reconfigure(2<<(i/4%4), 4<<20>>(i/4%3*6))
		}
		p.Stats()
		time.Sleep(time.Millisecond)
	}
	stop.Store(true)
	wg.Wait()
	if n := idle(p); p.options.Budget > 0 && n > p.options.Budget {
		t.Errorf("%d bytes are idle with a budget of %d", n, p.options.Budget)
	}
	for _, c := range p.Stats().Classes {
		if d := c.Dropped; c.Puts != c.Hits()+c.Idle+d.OverBudget+d.OverBound+d.Aged+d.Trimmed+d.Abandoned {
			t.Errorf("the releases went elsewhere: %+v", c)
		}
	}
}
