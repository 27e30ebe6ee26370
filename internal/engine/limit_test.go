package engine

import (
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/rt"
)

// limited returns a pool with room for n slices of 4 KiB in use.
func limited(c Config, n int) *Pool {
	c.Limit, c.Waiters = int64(n)*4096, 1024
	return newPool(c)
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
		for _, c.Clear = range []Clear{ClearNever, ClearNew, ClearRelease} {
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

// Early rejections are bounded: one processor's credit is no room for others, and
// all credits together are a 32nd of the limit. Whatever is in use is found.
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
		if total > c.Limit || total < c.Limit-c.Limit/32-4096 {
			t.Errorf("%d bytes were admitted, with a limit of %d", total, c.Limit)
		}
		s := p.LimitStats()
		if s.InUse != total || s.Peak != total || s.Rejected != 1 || s.Reserved < 0 || s.Reserved > c.Limit/32 {
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

// The classes are closed near the limit, whatever happens meanwhile, and open far
// from it.
func TestNearAndFar(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		checktest.Start(t, check.Config{})
		p := limited(c, 64)
		k := &p.classes[12]
		open := func() bool { return k.pinned.Load() != 0 || k.striped.Load() != 0 }
		p.Release(p.New(4096))
		before := open() // closed under ASan
		var held [][]byte
		for b := admitted(t, p); b != nil; b = admitted(t, p) {
			held = append(held, b)
		}
		for name, do := range map[string]func(){
			"the limit":   func() {},
			"Reconfigure": func() { p.Reconfigure(2, 1<<20) },
			"a mode":      func() { check.Set(check.Config{Mode: check.Full}); check.Set(check.Config{}) },
			"processors": func() {
				old := k.n.Load()
				p.extend(k, int(old)+1)
			},
			"sampling": func() { k.samples.Store(1); p.sample(k) },
		} {
			if do(); open() {
				t.Errorf("open near the limit after %s", name)
			}
		}
		for _, b := range held[1:] {
			p.Release(b)
		}
		eventually(t, "the limit is far", func() bool {
			p.Release(p.New(4096))
			return open() == before && !p.limiter.near.Load()
		})
		k.samples.Store(1)
		if p.openAll(); open() {
			t.Error("the limit is far, and requests that are to be sampled are not seen")
		}
	})
}

// Near lasts while more than 3/4 of the limit are in use, and for 10 ms after a
// rejection.
func TestNearLasts(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		synctest.Test(t, func(t *testing.T) {
			p := limited(c, 8)
			var held [][]byte
			for b := admitted(t, p); b != nil; b = admitted(t, p) {
				held = append(held, b)
			}
			release := func(near bool) {
				t.Helper()
				p.Release(held[0])
				if held = held[1:]; p.limiter.near.Load() != near {
					t.Errorf("%d slices in use: near is %v", len(held), !near)
				}
			}
			time.Sleep(nearPeriod)
			release(true)
			if _, err := p.TryNew(8 * 4096); err == nil {
				t.Error("more was admitted than there is")
			}
			release(true)
			time.Sleep(nearPeriod)
			release(false)
		})
	})
}

// While the limit is far, TryNew is served without the lock.
func TestCredits(t *testing.T) {
	if !rt.Pinned {
		t.Skip("there are no credits in this build")
	}
	for _, steps := range []int{1, 4} {
		p := newPool(Config{Limit: 1 << 30, Steps: steps})
		quietly(t, func() {
			p.Release(p.New(5000))
			if b, err := p.TryNew(5000); err == nil { // gives credit
				p.Release(b)
			}
			before := p.LimitStats().Admitted
			for range 100 {
				b, err := p.TryNew(5000)
				if err != nil {
					t.Fatal(err)
				}
				p.Release(b)
			}
			if n := p.LimitStats().Admitted - before; n > 10 && p.classes[p.grid.classOf(5000)].pinned.Load() > 0 {
				t.Errorf("%d of 100 requests took the lock", n)
			}
			for {
				if _, err := p.TryNew(1 << 20); err != nil {
					break
				}
			}
			if s := p.LimitStats(); s.InUse != 1<<30 || s.Reserved != 0 {
				t.Errorf("a processor has kept its credit at the limit: %+v", s)
			}
		})
	}
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
		p.Release(make([]byte, 1)) // none of them
		again := p.New(4096)       // near the limit
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

// A slice from elsewhere hides at most what is in use in its class, and nothing that
// is handed out later; one that is lost counts until Forget.
func TestForeignAndLost(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := limited(c, 8)
		for range 100 {
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
			t.Error("slices from elsewhere made room for a ninth")
		}
		p.Release(make([]byte, 8192))
		if n := inUse(p); n != 8*4096 {
			t.Errorf("%d bytes in use, want %d", n, 8*4096)
		}
		p.Release(make([]byte, 4096)) // instead of one that is lost
		if n := inUse(p); n != 7*4096 {
			t.Errorf("%d bytes in use, want %d", n, 7*4096)
		}
		runtime.GC() // those that are lost still count
		if n := p.Forget(); n != 7*4096 {
			t.Errorf("Forget returned %d, want %d", n, 7*4096)
		}
		if s := p.LimitStats(); s.InUse != 0 || s.Peak != 8*4096 {
			t.Errorf("after Forget: %+v", s)
		}
		for range 8 {
			if admitted(t, p) == nil {
				t.Fatal("fewer than 8 were admitted after Forget")
			}
		}
	})
}

// What Reconfigure takes away is counted when it comes back.
func TestLimitAndReconfigure(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		for _, near := range []bool{false, true} {
			p := limited(c, 8)
			var held [][]byte
			for range 6 {
				held = append(held, admitted(t, p))
			}
			if near {
				held = append(held, admitted(t, p), admitted(t, p))
			}
			small := p.New(100)
			p.Reconfigure(512, 2048)
			for _, b := range append(held, small) {
				if p.Release(b) {
					t.Errorf("a slice of %d bytes was kept", cap(b))
				}
			}
			if n := inUse(p); n != 0 {
				t.Errorf("%d bytes in use", n)
			}
			large := p.New(4096) // served by no class any more
			if n := inUse(p); n != 4096 {
				t.Errorf("%d bytes in use, want 4096", n)
			}
			if p.Release(large); inUse(p) != 0 {
				t.Errorf("%d bytes in use in the end", inUse(p))
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
		for _, near := range []int{2, 9} {
			var all []*carrier
			for range near {
				all = append(all, getCarrier(o, 4096))
			}
			if n := inUse(p); n != int64(near)*4096 {
				t.Errorf("%d bytes in use of %d objects", n, near)
			}
			if got := admitted(t, p); (got != nil) != (near < 8) {
				t.Errorf("beside %d objects a slice was admitted: %v", near, got != nil)
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

// A pool with a limit and no budget has its limit as budget.
func TestLimitIsBudget(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		p := limited(c, 100)
		if p.Budget() != 100*4096 {
			t.Errorf("the budget is %d", p.Budget())
		}
		c.Budget = 1 << 20
		if p := limited(c, 100); p.Budget() != 1<<20 {
			t.Errorf("the budget is %d, as given it is 1 MiB", p.Budget())
		}
		if n := newPool(Config{}).Budget(); n != 0 {
			t.Errorf("without a limit the budget is %d", n)
		}
	})
}

// The largest limit there is is one, too.
func TestLargestLimit(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.Limit = math.MaxInt64
		p := newPool(c)
		b := admitted(t, p)
		r, err := p.TryReserve(math.MaxInt64 - c.Limit/16)
		if b == nil || err != nil {
			t.Fatal(err)
		}
		if _, err := p.TryReserve(math.MaxInt64); err == nil {
			t.Error("twice the limit was reserved")
		}
		r.Release()
		p.Release(b)
		if s := p.LimitStats(); s.InUse != 0 || s.Limit != math.MaxInt64 {
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
