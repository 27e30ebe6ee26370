package engine

import (
	"context"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

var soakFor = flag.Duration("soak", 0, "how long TestSoak runs; 0 for a moment")

// A load is what happened during a soak.
type load struct {
	inUse, most                            atomic.Int64 // bytes, as those know who have them
	admitted, rejected, canceled, reserved atomic.Int64 // requests
}

// add changes what is in use.
func (l *load) add(n int) {
	now := l.inUse.Add(int64(n))
	for {
		most := l.most.Load()
		if now <= most || l.most.CompareAndSwap(most, now) {
			return
		}
	}
}

// soak has goroutines ask p for admission in all ways, with contexts that end, while
// the number of processors changes and idle memory is dropped. In the end nothing is in
// use, and what was in use stayed within the limit.
func (l *load) soak(t *testing.T, p *Pool, d time.Duration) {
	t.Helper()
	end, done := time.Now().Add(d), make(chan bool)
	var wg sync.WaitGroup
	for seed := range 24 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(seed), 14))
			for i := 0; (i < 200 || time.Now().Before(end)) && !t.Failed(); i++ {
				l.request(t, p, r)
			}
		})
	}
	go func() { wg.Wait(); close(done) }()
	for i := 0; ; i++ {
		select {
		case <-done:
		case <-time.After(2 * time.Millisecond):
			runtime.GOMAXPROCS(1 + i%5)
			p.Trim()
			runtime.GC()
			_ = p.LimitStats()
			continue
		}
		break
	}
	s := p.LimitStats()
	if s.InUse != 0 || s.Waiting != 0 || l.inUse.Load() != 0 {
		t.Errorf("in the end: %+v, and %d bytes are in use", s, l.inUse.Load())
	}
	if most := l.most.Swap(0); most > p.limiter.limit {
		t.Errorf("%d bytes were in use with a limit of %d", most, p.limiter.limit)
	}
	if r := p.Forget(); r != 0 {
		t.Errorf("Forget finds %d bytes", r)
	}
}

// request asks for one or two slices, and releases what it gets.
func (l *load) request(t *testing.T, p *Pool, r *rand.Rand) {
	size := 1 + r.IntN(1<<(5+r.IntN(9)))
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(300))*time.Microsecond)
	defer cancel()
	var b []byte
	var err error
	switch r.IntN(4) {
	case 0, 1:
		b, err = p.TryNew(size)
	case 2:
		b, err = p.Acquire(ctx, size)
	case 3:
		var res *Reservation
		if r.IntN(2) == 0 {
			res, err = p.TryReserve(int64(2 * size))
		} else {
			res, err = p.Reserve(ctx, int64(2*size))
		}
		if err != nil {
			break
		}
		l.reserved.Add(1)
		defer res.Release()
		if b, err = res.New(size); err != nil {
			t.Errorf("half of what was reserved: %v", err)
		}
	}
	switch {
	case errors.Is(err, ErrLimit):
		l.rejected.Add(1)
	case err != nil:
		l.canceled.Add(1)
	default:
		l.admitted.Add(1)
		l.add(cap(b))
		if r.IntN(8) == 0 {
			time.Sleep(time.Duration(r.IntN(50)) * time.Microsecond)
		}
		l.add(-cap(b))
		p.Release(b)
	}
}

// Whatever goes on, no more is in use than the limit allows, and nobody waits for ever.
func TestSoak(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	run := func(d time.Duration) (pools int) {
		var all load
		onAllKinds(t, func(t *testing.T, c Config) {
			for _, c.Limit = range []int64{64 << 10, 512 << 10} { // without credits that serve, and with
				c.Waiters, c.Retain = 16, time.Duration(c.Steps-1)*time.Second
				all.soak(t, newPool(c), d)
				pools++
			}
		})
		if all.admitted.Load() == 0 || d > 0 && (all.rejected.Load() == 0 || all.canceled.Load() == 0 || all.reserved.Load() == 0) {
			t.Errorf("%d requests were admitted, %d rejected, %d canceled", all.admitted.Load(), all.rejected.Load(), all.canceled.Load())
		}
		return pools
	}
	if pools := run(0); *soakFor > 0 {
		run(*soakFor / time.Duration(pools))
	}
}

// A request above the limit never waits, and the error says why.
func TestErrLimit(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.Name = "uploads"
		p := limited(c, 8)
		ctx := context.Background()
		_, tried := p.TryNew(32769)
		_, acquired := p.Acquire(ctx, 32769)
		_, tryReserved := p.TryReserve(math.MaxInt64)
		_, reserved := p.Reserve(ctx, 40000)
		for _, err := range []error{tried, acquired, tryReserved, reserved} {
			if !errors.Is(err, ErrLimit) {
				t.Fatalf("error %v", err)
			}
			for _, want := range []string{`"uploads"`, " 0 of 32768 ", "more than the limit"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not contain %q", err, want)
				}
			}
		}
		if !strings.Contains(tried.Error(), "65536 bytes") || !strings.Contains(acquired.Error(), "65536 bytes") {
			t.Errorf("%q and %q do not say how many bytes", tried, acquired)
		}
		for range 8 {
			admitted(t, p)
		}
		_, err := p.TryNew(100)
		if want := `bytespool: pool "uploads": 128 bytes asked for, 32768 of 32768 in use or reserved: there is no room`; err == nil || err.Error() != want {
			t.Errorf("error %q, want %q", err, want)
		}
		if s := p.LimitStats(); s.Rejected != 5 || s.Admitted != 8 || s.Limit != 32768 {
			t.Errorf("%+v", s)
		}
	})
}

// Without a limit everything is admitted, by the zero Pool too.
func TestNoLimit(t *testing.T) {
	ctx := context.Background()
	for _, p := range []*Pool{newPool(Config{}), new(Pool)} {
		for _, size := range []int{0, 1, 5000, 5 << 20} {
			tried, err := p.TryNew(size)
			acquired, err2 := p.Acquire(ctx, size)
			r, err3 := p.TryReserve(int64(size))
			r2, err4 := p.Reserve(ctx, math.MaxInt64)
			if err := errors.Join(err, err2, err3, err4); err != nil {
				t.Fatal(err)
			}
			reserved, err := r.New(size)
			beyond, err2 := r2.New(size)
			if err := errors.Join(err, err2); err != nil {
				t.Fatal(err)
			}
			for _, b := range [][]byte{tried, acquired, reserved, beyond} {
				if len(b) != size || cap(b) != p.CapacityOf(size) {
					t.Errorf("size %d: length %d, capacity %d", size, len(b), cap(b))
				}
			}
			r.Release()
			r2.Release()
		}
		canceled, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := p.Acquire(canceled, 1); err != context.Canceled {
			t.Errorf("Acquire: %v", err)
		}
		if _, err := p.Reserve(canceled, 1); err != context.Canceled {
			t.Errorf("Reserve: %v", err)
		}
		if s := p.LimitStats(); s != (LimitStats{}) || p.Forget() != 0 {
			t.Errorf("%+v", s)
		}
	}
}

func TestReservation(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		p := limited(c, 8)
		r, err := p.TryReserve(2 * 4096)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, inUse, reserved int64) {
			t.Helper()
			if s := p.LimitStats(); s.InUse != inUse || s.Reserved != reserved {
				t.Errorf("%s: %+v, want %d in use and %d reserved", what, s, inUse, reserved)
			}
		}
		check("reserved", 0, 8192)
		var others [][]byte
		for b := admitted(t, p); b != nil; b = admitted(t, p) {
			others = append(others, b)
		}
		check("others admitted", 6*4096, 8192)
		a, err := r.New(4000)
		if err != nil {
			t.Fatal(err)
		}
		check("one taken", 7*4096, 4096)
		if _, err := r.New(8000); !errors.Is(err, ErrLimit) {
			t.Errorf("more than is left was taken: %v", err)
		}
		check("too much asked for", 7*4096, 4096)
		p.Release(others[0])
		b, err := r.New(8000)
		if err != nil {
			t.Fatalf("there is room beyond the reservation: %v", err)
		}
		check("all taken", 8*4096, 0)
		r.Release()
		r.Release()
		check("released twice", 8*4096, 0)
		for _, b := range append(others[1:], a, b) {
			p.Release(b)
		}
		r, _ = p.TryReserve(5000)
		if _, err := r.New(5000); err != nil {
			t.Errorf("what was reserved does not fit: %v", err)
		}
		check("a size that is no class's", int64(p.CapacityOf(5000)), 0)
		r, _ = p.TryReserve(8192)
		r.Release()
		r.Release()
		check("given back", int64(p.CapacityOf(5000)), 0)
		if r, _ = p.TryReserve(-1); r == nil {
			t.Error("less than nothing was rejected")
		}
	})
}

// The latest waiter is served first, but nobody passes one that has waited for a
// second, and one release serves as many as fit.
func TestOrderOfWaiters(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		synctest.Test(t, func(t *testing.T) {
			p := limited(c, 8)
			all, _ := p.TryNew(8 * 4096)
			var mu sync.Mutex
			var order []int
			wait := func(n, size int) {
				go func() {
					if _, err := p.Acquire(t.Context(), size); err != nil {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					order = append(order, n)
				}()
				time.Sleep(time.Microsecond)
				synctest.Wait()
			}
			wait(1, 4*4096)
			wait(2, 4*4096)
			wait(3, 4*4096)
			if s := p.LimitStats(); s.Waiting != 3 {
				t.Errorf("%+v", s)
			}
			p.Release(all)
			synctest.Wait()
			if s := p.LimitStats(); len(order) != 2 || order[0]+order[1] != 5 || s.Waiting != 1 {
				t.Errorf("served were %v: %+v", order, s)
			}
			time.Sleep(2 * patience)
			p.Release(make([]byte, 4*4096)) // stands for one of the two
			synctest.Wait()
			if len(order) != 3 {
				t.Fatalf("served were %v", order)
			}
			wait(4, 8*4096)
			time.Sleep(2 * patience)
			p.Release(make([]byte, 4*4096))
			synctest.Wait()
			if admitted(t, p) != nil {
				t.Error("TryNew passes one that has waited for long")
			}
			wait(5, 4096)
			if len(order) != 3 {
				t.Errorf("Acquire passes one that has waited for long: %v", order)
			}
			p.Release(make([]byte, 4*4096))
			synctest.Wait()
			if len(order) != 4 || order[3] != 4 {
				t.Errorf("served were %v", order)
			}
			p.Release(make([]byte, 8*4096))
			synctest.Wait()
			if s := p.LimitStats(); len(order) != 5 || s.Waiting != 0 || s.InUse != 4096 || s.Waited < 4*patience {
				t.Errorf("served were %v: %+v", order, s)
			}
		})
	})
}

// A waiter goes with its context, and then holds nobody up.
func TestCancel(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		synctest.Test(t, func(t *testing.T) {
			p := limited(c, 8)
			first, _ := p.TryNew(4 * 4096)
			second, _ := p.TryNew(4 * 4096)
			var small error = errors.New("waits")
			go func() { _, small = p.Acquire(t.Context(), 4*4096) }()
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
			defer cancel()
			go func() {
				time.Sleep(time.Second / 4)
				p.Release(first) // for the newer one that is larger
			}()
			if _, err := p.Acquire(ctx, 8*4096); err != context.DeadlineExceeded {
				t.Errorf("error %v", err)
			}
			synctest.Wait()
			if small != nil {
				t.Errorf("the other waiter: %v", small)
			}
			if _, err := p.Reserve(ctx, 1); err != context.DeadlineExceeded {
				t.Errorf("error %v", err)
			}
			p.Release(second)
			if s := p.LimitStats(); s.Waiting != 0 || s.Reserved != 0 || s.InUse != 4*4096 || s.Waited < time.Second/2 {
				t.Errorf("%+v", s)
			}
		})
	})
}

// Whoever was granted room and whose context has ended at the same time gives it on.
func TestCancelOfGranted(t *testing.T) {
	p := limited(Config{}, 8)
	all, _ := p.TryNew(8 * 4096)
	w, err := p.limiter.line(8 * 4096)
	next, err2 := p.limiter.line(4096)
	if w == nil || next == nil || err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	p.limiter.mu.Lock()
	w.since = -2 * patience // or the other is served first
	p.limiter.mu.Unlock()
	p.Release(all)
	<-w.ready
	select {
	case <-next.ready:
		t.Fatal("the other is granted room, too")
	default:
	}
	if err := p.limiter.leave(w, context.Canceled); err != context.Canceled {
		t.Error(err)
	}
	select {
	case <-next.ready:
	default:
		t.Error("what the first left is not granted to the next")
	}
	if s := p.LimitStats(); s.Reserved != 4096 || s.Waiting != 0 || s.Admitted != 2 {
		t.Errorf("%+v", s)
	}
}

// As many wait as may, and one more is rejected at once.
func TestWaiters(t *testing.T) {
	for _, n := range []int{0, 3} {
		synctest.Test(t, func(t *testing.T) {
			p := newPool(Config{Limit: 4096, Waiters: n})
			b := admitted(t, p)
			for range n {
				go func() {
					r, err := p.Reserve(t.Context(), 4096)
					if err != nil {
						t.Error(err)
						return
					}
					r.Release()
				}()
			}
			synctest.Wait()
			if _, err := p.Acquire(t.Context(), 1); !errors.Is(err, ErrLimit) {
				t.Errorf("beside %d waiters: %v", n, err)
			}
			p.Release(b)
			synctest.Wait()
			if s := p.LimitStats(); s.Waiting != 0 || s.Reserved != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A Release that began before the classes were closed, and counts after, hands
// nothing on: the next tick does.
func TestLateReleaseIsSeen(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		synctest.Test(t, func(t *testing.T) {
			p := limited(c, 8)
			all, _ := p.TryNew(8 * 4096)
			late := func() { p.push(p.filed(cap(all)), itemOf(all)) }
			var served atomic.Bool
			go func() {
				if _, err := p.Acquire(t.Context(), 4096); err == nil {
					served.Store(true)
				}
			}()
			synctest.Wait()
			late()
			synctest.Wait()
			if served.Load() {
				t.Fatal("the waiter was served before a tick: this tests nothing")
			}
			time.Sleep(2 * time.Millisecond)
			synctest.Wait()
			if !served.Load() {
				t.Error("the waiter does not see the room within 2 ms")
			}
			all, _ = p.TryNew(4 * 4096)
			p.push(p.filed(cap(all)), itemOf(all))
			time.Sleep(2 * time.Millisecond)
			synctest.Wait()
			if b, err := p.TryNew(4 * 4096); err != nil {
				t.Errorf("TryNew does not see the room after 2 ms: %v", err)
			} else {
				p.Release(b)
			}
		})
	})
}

// No wake-up is lost in many handovers.
func TestHandovers(t *testing.T) {
	handovers := testenv.Rounds(200_000)
	if sanitize.Enabled {
		handovers = 20_000
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		p := limited(c, 8)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var left atomic.Int64
		left.Store(int64(handovers))
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for left.Add(-1) >= 0 {
					b, err := p.Acquire(ctx, 4096)
					if err != nil {
						t.Errorf("with %d handovers to come: %v, %+v", left.Load(), err, p.LimitStats())
						return
					}
					runtime.Gosched()
					p.Release(b)
				}
			})
		}
		wg.Wait()
		s := p.LimitStats()
		if s.InUse != 0 || s.Waiting != 0 || s.Peak > 8*4096 {
			t.Errorf("%+v", s)
		}
	})
}
