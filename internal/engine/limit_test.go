package engine

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// limited returns a pool with room for n slices of 4 KiB in use.
func limited(c Config, n int) *Pool {
	c.Limit, c.Waiters = int64(n)*4096, 1024
	return newPool(c)
}

// tryReserve is TryReserve with a new Reservation, and reserve is Reserve.
func tryReserve(p *Pool, sizes ...int) (*Reservation, error) {
	r := new(Reservation)
	if err := p.TryReserve(r, sizes); err != nil {
		return nil, err
	}
	return r, nil
}

func reserve(p *Pool, ctx context.Context, sizes ...int) (*Reservation, error) {
	r := new(Reservation)
	if err := p.Reserve(ctx, r, sizes); err != nil {
		return nil, err
	}
	return r, nil
}

// admitted is TryNew(4096), or nil.
func admitted(t *testing.T, p *Pool) []byte {
	t.Helper()
	b, err := p.TryNew(4096)
	if (err == nil) != (b != nil) {
		t.Fatalf("slice is nil: %v, error: %v", b == nil, err)
	}
	return b
}

// inUse returns what the limiter says is in use.
func inUse(p *Pool) int64 { return p.LimitStats().InUse }

// A limit of a few slices is exact: as many are admitted as fit, and each that is
// released makes room for one.
func TestLimitIsExact(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		for _, c.Clear = range []Clear{ClearNever, ClearOnGet, ClearOnRelease} {
			p := limited(c, 8)
			for range 3 {
				var held [][]byte
				for len(held) < 8 {
					b := admitted(t, p)
					if b == nil {
						t.Fatalf("%d of 8 were admitted", len(held))
					}
					held = append(held, b)
				}
				for i := range held {
					if admitted(t, p) != nil {
						t.Fatalf("a ninth was admitted")
					}
					p.Release(held[i])
					if held[i] = admitted(t, p); held[i] == nil {
						t.Fatalf("one was released, and none admitted")
					}
				}
				if n := inUse(p); n != 8*4096 {
					t.Errorf("%d bytes in use, want %d", n, 8*4096)
				}
				for _, b := range held {
					p.Release(b)
				}
				if n := inUse(p); n != 0 {
					t.Errorf("%d bytes in use, all is released", n)
				}
			}
		}
	})
}

// What is admitted, of whatever size, stays within the limit and comes up to it.
func TestLimitIsReached(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.Limit = 1 << 20
		p := newPool(c)
		total, sizes := int64(0), []int{100, 64, 3000, 1}
		var held [][]byte
		for i := 0; ; i++ {
			b, err := p.TryNew(sizes[i%4])
			if err != nil {
				break
			}
			if len(b) != sizes[i%4] || cap(b) != p.CapacityOf(sizes[i%4]) {
				t.Fatalf("TryNew(%d): len %d, cap %d, charged %d", sizes[i%4], len(b), cap(b), p.CapacityOf(sizes[i%4]))
			}
			total += int64(cap(b))
			held = append(held, b)
		}
		if total > c.Limit || total <= c.Limit-4096 {
			t.Errorf("%d bytes were admitted, with a limit of %d", total, c.Limit)
		}
		s := p.LimitStats()
		if s.InUse != total || s.Peak != total || s.Rejected != 1 || s.Reserved != 0 {
			t.Errorf("%d bytes in use: %+v", total, s)
		}
		for _, b := range held {
			p.Release(b)
		}
		if n := inUse(p); n != 0 {
			t.Errorf("%d bytes in use in the end", n)
		}
	})
}

// A request for nothing takes a slice of the smallest class, and is charged for it.
func TestLimitOfNothing(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize, c.Limit = 4096, 1<<20, 2*4096
		for _, size := range []int{0, -1, 1} {
			p := newPool(c)
			for n := 0; ; n++ {
				b, err := p.TryNew(size)
				if used := inUse(p); used != int64(min(n+1, 2))*4096 || (err == nil) != (n < 2) {
					t.Fatalf("%d bytes in use after %d of TryNew(%d): %v", used, n+1, size, err)
				}
				if err != nil {
					break
				}
				defer p.Release(b)
			}
		}
	})
}

// New always succeeds, and counts. What is above the largest class counts, too.
func TestNewCounts(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		p := limited(c, 8)
		first := p.New(4096)
		over := p.New(5 << 20)
		if n, want := inUse(p), int64(4096+5<<20); n != want {
			t.Errorf("%d bytes in use, want %d", n, want)
		}
		if admitted(t, p) != nil {
			t.Errorf("a slice was admitted above the limit")
		}
		again := p.New(4096)
		if n, want := inUse(p), int64(2*4096+5<<20); n != want {
			t.Errorf("%d bytes in use, want %d", n, want)
		}
		p.Release(over)
		if b := admitted(t, p); b == nil {
			t.Errorf("the large slice still counts")
		}
		p.Release(first)
		p.Release(again)
		if n := inUse(p); n != 4096 {
			t.Errorf("%d bytes in use, want 4096", n)
		}
	})
}

// A foreign slice counts as the return of what is in use, and hides nothing that is
// handed out later; one that is lost counts.
func TestForeignAndLost(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := limited(c, 8)
		for range 10 {
			p.Release(make([]byte, 8192))
			p.Release(make([]byte, 16<<20)) // no class takes it
			p.Release(make([]byte, 1))
		}
		for range 8 {
			if admitted(t, p) == nil {
				t.Fatal("fewer than 8 were admitted")
			}
		}
		if admitted(t, p) != nil {
			t.Error("foreign slices made room for a ninth")
		}
		p.Release(make([]byte, 8192)) // instead of two that are lost
		if n := inUse(p); n != 6*4096 {
			t.Errorf("%d bytes in use, want %d", n, 6*4096)
		}
		runtime.GC() // those that are lost still count
		if s := p.LimitStats(); s.InUse != 6*4096 || s.Peak != 8*4096 {
			t.Errorf("after a collection: %+v", s)
		}
	})
}

// However many take odd slices at once, all that is admitted stays within the limit.
func TestOddSlicesStayWithinLimit(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := limited(c, 8*lendShare)
		quietly(t, func() { // or a collection would take the odd ones
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
			var held, odd atomic.Int64
			var wg sync.WaitGroup
			for i := range 6 {
				wg.Go(func() {
					for n := range 3 { // here, since what lies on another processor's stack is found by nobody else
						p.Release(make([]byte, 4097+(3*i+n)*200))
					}
					for range testenv.Rounds(5000) {
						b, _ := p.TryNew(4096)
						if cap(b) > 4096 {
							odd.Add(1)
						}
						if n := held.Add(int64(cap(b))); n > p.limiter.Bytes() {
							t.Errorf("%d bytes are in use, with a limit of %d", n, p.limiter.Bytes())
						}
						runtime.Gosched()
						held.Add(-int64(cap(b)))
						if b != nil {
							p.Release(b)
						}
					}
				})
			}
			wg.Wait()
			if s := p.LimitStats(); s.InUse != 0 || s.Peak > p.limiter.Bytes() || odd.Load() == 0 && !sanitize.Enabled {
				t.Errorf("%+v after all was released; %d slices had more than their class", s, odd.Load())
			}
		})
	})
}

// A slice subtracts what it added, whatever Reconfigure has made of its class.
func TestLimitAndReconfigure(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		p := limited(c, 100)
		for range 3 {
			p.Reconfigure(64, 4096)
			var held [][]byte
			for _, size := range []int{100, 4096, 5000, 64 << 10} {
				held = append(held, p.New(size))
			}
			for i, sizes := range [][2]int{{64, 1 << 20}, {512, 2048}, {8 << 10, 16 << 10}, {64, 4096}} {
				p.Reconfigure(sizes[0], sizes[1])
				p.Release(held[i])
			}
			if n := inUse(p); n != 0 {
				t.Fatalf("%d bytes in use", n)
			}
		}
	})
}

// What a sampled slice counts does not depend on the mode that its release finds.
func TestLimitAndChangesOfMode(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.MinSize, c.MaxSize = 64, 4096
		modes := []check.Config{{}, {Mode: check.Sample, OneIn: 1}, {Mode: check.Full}}
		for _, first := range modes {
			for _, second := range modes {
				checktest.Start(t, first)
				p := limited(c, 8)
				const others = 1000 // bytes, from which a release could subtract too much
				p.limiter.Take(others)
				for _, size := range []int{64, 4096, 5000} {
					b := p.New(size)
					if n := inUse(p) - others; n != int64(p.CapacityOf(size)) {
						t.Errorf("mode %v: New(%d): %d bytes in use, want %d", first.Mode, size, n, p.CapacityOf(size))
					}
					check.Set(second)
					p.Release(b)
					if n := inUse(p) - others; n != 0 {
						t.Errorf("modes %v and %v: %d bytes in use", first.Mode, second.Mode, n)
					}
					check.Set(first)
				}
				check.Set(check.Config{})
			}
		}
	})
}

// Idle memory does not count, and its ways change nothing.
func TestLimitAndIdleMemory(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		for _, c.Clear = range []Clear{ClearNever, ClearOnGet, ClearOnRelease} {
			p := limited(c, 64)
			held := [][]byte{p.New(4096), p.New(4096), p.New(4096)}
			p.Release(held[0])
			p.Trim()
			runtime.GC()
			runtime.GC()
			if n := inUse(p); n != 2*4096 {
				t.Errorf("%d bytes in use, want %d", n, 2*4096)
			}
			p.Release(held[1])
			p.Release(held[2])
			if n := inUse(p); n != 0 {
				t.Errorf("%d bytes in use in the end", n)
			}
		}
	})
}

// A pool that has used its limit keeps it, and serves it again without a miss.
func TestLimitStaysIdle(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("a sanitizer's build keeps nothing on the stacks")
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		for _, size := range []int{4 << 10, 64 << 10, 1 << 20} {
			for _, slices := range []int{8, 128} {
				c.Limit, c.Retain = int64(slices*size), time.Hour
				p := newPool(c)
				carriers(p) // they had a part of the budget
				use := func() (misses uint64) {
					before := p.Stats()
					var held [][]byte
					for b, err := p.TryNew(size); err == nil; b, err = p.TryNew(size) {
						held = append(held, b)
					}
					if len(held) != slices {
						t.Errorf("%d of %d slices", len(held), slices)
					}
					for _, b := range held {
						p.Release(b)
					}
					for _, k := range p.Stats().Classes {
						misses += k.Misses
					}
					for _, k := range before.Classes {
						misses -= k.Misses
					}
					return misses
				}
				quietly(t, func() {
					use()
					var idle int64
					for _, k := range p.Stats().Classes {
						idle += int64(k.Idle) * int64(k.Capacity)
					}
					if idle < c.Limit/100*95 {
						t.Errorf("%d slices of %d: %d of %d bytes are idle", slices, size, idle, c.Limit)
					}
					if n := use(); n > 0 {
						t.Errorf("%d slices of %d: %d misses in steady state", slices, size, n)
					}
				})
			}
		}
	})
}

// A request that panics after it was counted counts nothing.
func TestPanicAfterCounting(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("no size panics: for the largest, memory ends, which ends the program")
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		c.Limit = math.MaxInt64
		p := newPool(c)
		for name, ask := range map[string]func(size int){
			"New":      func(size int) { p.New(size) },
			"NewOwned": func(size int) { p.NewOwned(size) },
		} {
			for _, size := range []int{math.MaxInt, math.MaxInt/2 + 1} {
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%s(%d) does not panic", name, size)
						}
					}()
					ask(size)
				}()
				if s := p.LimitStats(); s.InUse != 0 {
					t.Errorf("%s(%d): %d bytes in use", name, size, s.InUse)
				}
			}
		}
	})
}

// The checked modes count as usual: what is in quarantine is not in use.
func TestLimitWhileChecked(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		for _, mode := range []check.Config{{Mode: check.Full}, {Mode: check.Sample, OneIn: 1}, {Mode: check.Guard}} {
			checktest.Start(t, mode)
			p := limited(c, 8)
			for range 3 {
				var held [][]byte
				for b := admitted(t, p); b != nil; b = admitted(t, p) {
					held = append(held, b)
				}
				if n := inUse(p); len(held) != 8 || n != 8*4096 {
					t.Errorf("mode %v: %d slices, %d bytes in use", mode.Mode, len(held), n)
				}
				for _, b := range held {
					p.Release(b)
				}
				runtime.GC()
				if n := inUse(p); n != 0 {
					t.Errorf("mode %v: %d bytes in use, all is released", mode.Mode, n)
				}
			}
			check.Set(check.Config{})
		}
	})
}

// Objects count with their slices, those that were not there do not, and bare ones
// count nothing.
func TestLimitAndObjects(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := limited(c, 8)
		o := carriers(p)
		for _, n := range []int{2, 9} {
			var all []*carrier
			for range n {
				all = append(all, getCarrier(o, 4096))
			}
			if used := inUse(p); used != int64(n)*4096 {
				t.Errorf("%d bytes in use of %d objects", used, n)
			}
			if got := admitted(t, p); (got != nil) != (n < 8) {
				t.Errorf("beside %d objects a slice was admitted: %v", n, got != nil)
			} else {
				p.Release(got)
			}
			for _, x := range all {
				if o.Put(x, cap(x.b)) == Foreign {
					p.Release(x.b) // in some builds
				}
			}
			if n := inUse(p); n != 0 {
				t.Errorf("%d bytes in use, all is released", n)
			}
		}
		bare, _ := o.TakeBare()
		if bare == nil {
			bare = new(carrier)
		}
		o.PutBare(bare)
		if n := inUse(p); n != 0 {
			t.Errorf("%d bytes in use of a bare object", n)
		}
	})
}

// The largest limit there is is one, too.
func TestLargestLimit(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.Limit = math.MaxInt64
		p := newPool(c)
		b := admitted(t, p)
		r, err := tryReserve(p, math.MaxInt32, math.MaxInt/8)
		if b == nil || err != nil {
			t.Fatal(err)
		}
		if _, err := tryReserve(p, math.MaxInt); math.MaxInt == math.MaxInt64 && err == nil {
			t.Error("more than the limit was reserved")
		}
		r.Release()
		p.Release(b)
		if s := p.LimitStats(); s.InUse != 0 || s.Bytes != math.MaxInt64 {
			t.Errorf("%+v", s)
		}
	})
}

// Peak is what was seen in use, also where nobody asks for admission.
func TestPeak(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := limited(c, 8)
		var wg sync.WaitGroup
		wg.Go(func() {
			for admitted(t, p) == nil { // all are in use by then
			}
		})
		var held [][]byte
		for range 10 {
			held = append(held, p.New(4096))
		}
		_ = inUse(p)
		for _, b := range held {
			p.Release(b)
		}
		wg.Wait()
		if n := p.LimitStats().Peak; n < 10*4096 || n > 11*4096 {
			t.Errorf("the peak is %d, of 10 or 11 slices", n)
		}
	})
}
