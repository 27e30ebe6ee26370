package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/rt"
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

// A pool with a limit counts what is in use and reserved, whatever is asked for and released, however
// modes and sizes change meanwhile, and admits what fits.
func TestLimitAgainstModel(t *testing.T) {
	type reservation struct {
		*Reservation
		left int64
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		for _, c.Clear = range []Clear{ClearNever, ClearOnGet, ClearOnRelease} {
			c.MinSize, c.MaxSize = 64, 4096
			p := limited(c, 32)
			modes := []check.Config{{}, {Mode: check.Sample, OneIn: 1}, {Mode: check.Full}}
			checktest.Start(t, modes[0])
			r := rand.New(rand.NewPCG(1, 2))
			var held [][]byte
			var reservations []reservation
			counted, rejected := int64(0), uint64(0)
			got := func(b []byte, err error, size int, covered int64) {
				n := int64(p.CapacityOf(size))
				if fits := n == covered || counted+n-covered <= p.limiter.Bytes(); fits != (err == nil) {
					t.Fatalf("%d of %d bytes count, and %d more: %v", counted, p.limiter.Bytes(), n-covered, err)
				}
				if err != nil {
					rejected++
					return
				}
				if len(b) != max(size, 0) || int64(cap(b)) < n {
					t.Fatalf("%d bytes of %d, want %d of %d", len(b), cap(b), size, n)
				}
				counted += int64(cap(b)) - covered
				held = append(held, b)
			}
			for i := range testenv.Rounds(5000) {
				size := r.IntN(1<<r.IntN(16)) - 1
				switch op := r.IntN(16); {
				case op == 0:
					b := p.New(size)
					counted += int64(cap(b))
					held = append(held, b)
				case op < 4:
					b, err := p.TryNew(size)
					got(b, err, size, 0)
				case op < 6:
					other := r.IntN(1000)
					n := int64(p.CapacityOf(size) + p.CapacityOf(other))
					x, err := tryReserve(p, size, other)
					if fits := counted+n <= p.limiter.Bytes(); fits != (err == nil) {
						t.Fatalf("%d bytes count, and %d are to be reserved: %v", counted, n, err)
					}
					if err != nil {
						rejected++
						break
					}
					counted += n
					reservations = append(reservations, reservation{x, n})
				case op < 8 && len(reservations) > 0:
					x := &reservations[r.IntN(len(reservations))]
					covered := min(x.left, int64(p.CapacityOf(size)))
					b, err := x.New(size)
					if got(b, err, size, covered); err == nil {
						x.left -= covered
					}
				case op == 8 && len(reservations) > 0:
					x := reservations[len(reservations)-1]
					x.Release()
					x.Release()
					counted -= x.left
					reservations = reservations[:len(reservations)-1]
				case op == 9:
					check.Set(modes[r.IntN(3)])
				case op == 10:
					p.Reconfigure(64<<r.IntN(6), 2048<<r.IntN(6))
				case len(held) > 0:
					k := r.IntN(len(held))
					counted -= int64(cap(held[k]))
					if op == 11 {
						p.Abandon(cap(held[k]))
					} else {
						p.Release(held[k])
					}
					held = slices.Delete(held, k, k+1)
				}
				if s := p.LimitStats(); s.InUse+s.Reserved != counted || s.Rejected != rejected {
					t.Fatalf("step %d: %+v, want %d bytes and %d rejected", i, s, counted, rejected)
				}
			}
			check.Set(check.Config{})
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
			p.Release(rt.DirtyBytes(16 << 20)) // no class takes it
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
				use := func() (missed uint64) {
					before := misses(p.Stats())
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
					return misses(p.Stats()) - before
				}
				quietly(t, func() {
					use()
					if n := idle(p); n < c.Limit/100*95 {
						t.Errorf("%d slices of %d: %d of %d bytes are idle", slices, size, n, c.Limit)
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
