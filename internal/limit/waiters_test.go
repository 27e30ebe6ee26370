package limit

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/internal/testenv"
)

// A waiter goes with its context, and then holds nobody up.
func TestCancel(t *testing.T) {
	onAll(t, func(t *testing.T, c config) {
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
			if _, err := reserve(p, ctx, 1); err != context.DeadlineExceeded {
				t.Errorf("error %v", err)
			}
			p.Release(second)
			if s := p.limiter.Stats(); s.Waiting != 0 || s.Reserved != 0 || s.InUse != 4*4096 || s.Waited < time.Second/2 {
				t.Errorf("%+v", s)
			}
		})
	})
}

// As many wait as may, and one more is rejected at once.
func TestWaiters(t *testing.T) {
	for _, n := range []int{0, 3} {
		synctest.Test(t, func(t *testing.T) {
			p := newPool(config{Limit: 4096, Waiters: n})
			b := admitted(t, p)
			for range n {
				go func() {
					r, err := reserve(p, t.Context(), 4096)
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
			if s := p.limiter.Stats(); s.Waiting != 0 || s.Reserved != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// No wake-up is lost in many handovers.
func TestHandovers(t *testing.T) {
	handovers := testenv.Rounds(100_000)
	onAll(t, func(t *testing.T, c config) {
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
						t.Errorf("with %d handovers to come: %v, %+v", left.Load(), err, p.limiter.Stats())
						return
					}
					runtime.Gosched()
					p.Release(b)
				}
			})
		}
		wg.Wait()
		s := p.limiter.Stats()
		if s.InUse != 0 || s.Waiting != 0 || s.Peak > 8*4096 {
			t.Errorf("%+v", s)
		}
	})
}

// askers are the two ways to wait for n slices of 4 KiB. What they return releases them.
var askers = map[string]func(ctx context.Context, p *pool, n int) (release func(), err error){
	"Acquire": func(ctx context.Context, p *pool, n int) (func(), error) {
		b, err := p.Acquire(ctx, n*4096)
		return func() { p.Release(b) }, err
	},
	"Reserve": func(ctx context.Context, p *pool, n int) (func(), error) {
		r, err := reserve(p, ctx, slices.Repeat([]int{4096}, n)...)
		return func() { r.Release() }, err
	},
}

func onAskers(t *testing.T, f func(t *testing.T, c config, ask func(ctx context.Context, p *pool, n int) (release func(), err error))) {
	onAll(t, func(t *testing.T, c config) {
		for name, ask := range askers {
			t.Run(name, func(t *testing.T) { f(t, c, ask) })
		}
	})
}

// The oldest waiter is served first, one release serves as many as fit, and those that do
// not fit hold nobody up.
func TestOrderOfWaiters(t *testing.T) {
	onAskers(t, func(t *testing.T, c config, ask func(context.Context, *pool, int) (func(), error)) {
		synctest.Test(t, func(t *testing.T) {
			p := limited(c, 8)
			all, _ := p.TryNew(8 * 4096)
			var mu sync.Mutex
			var order []int
			for i, n := range []int{4, 8, 4, 1, 1} {
				go func() {
					if _, err := ask(t.Context(), p, n); err != nil {
						t.Error(err)
					}
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
				}()
				synctest.Wait()
			}
			want := func(served ...int) {
				t.Helper()
				synctest.Wait()
				slices.Sort(order)
				if !slices.Equal(order, served) || p.limiter.Stats().Waiting != 5-len(served) {
					t.Fatalf("served were %v, want %v: %+v", order, served, p.limiter.Stats())
				}
			}
			want()
			p.Release(all)
			want(0, 2)
			p.Release(make([]byte, 4096)) // stands for a part of them
			want(0, 2, 3)
			p.Release(make([]byte, 8*4096))
			want(0, 1, 2, 3) // the oldest of the two, though the other fits as well
			p.Release(make([]byte, 4096))
			want(0, 1, 2, 3, 4)
		})
	})
}

// A large request beside one that does not end holds others up for a moment now and then,
// and no longer.
func TestLargeRequestBesideLongOne(t *testing.T) {
	onAskers(t, func(t *testing.T, c config, ask func(context.Context, *pool, int) (func(), error)) {
		synctest.Test(t, func(t *testing.T) {
			p := limited(c, 8)
			held, _ := p.TryNew(2 * 4096)
			large := make(chan error)
			go func() {
				release, err := ask(t.Context(), p, 8)
				if large <- err; err == nil {
					release()
				}
			}()
			synctest.Wait()
			var since, longest time.Duration // for which all requests have been refused
			refused, asked := 0, 0
			for asked < 10_000 {
				time.Sleep(time.Millisecond)
				b := admitted(t, p)
				if asked++; b == nil {
					refused++
					since += time.Millisecond
					longest = max(longest, since)
					continue
				}
				since = 0
				p.Release(b)
			}
			if longest > turnTime+time.Millisecond || refused == 0 || refused > asked/10 {
				t.Errorf("%d of %d requests were refused, and all for %v", refused, asked, longest)
			}
			for range 40 { // some of them in a turn
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				release, err := ask(ctx, p, 4)
				cancel()
				if err != nil {
					t.Fatalf("one that fits waits for long: %v", err)
				}
				release()
				time.Sleep(100 * time.Millisecond)
			}
			p.Release(held)
			if err := <-large; err != nil {
				t.Error(err)
			}
		})
	})
}

// A large request is served although small ones come all the time and leave no room at
// any moment.
func TestLargeRequestBesideManySmallOnes(t *testing.T) {
	onAskers(t, func(t *testing.T, c config, ask func(context.Context, *pool, int) (func(), error)) {
		synctest.Test(t, func(t *testing.T) {
			p := limited(c, 8)
			ctx, stop := context.WithCancel(t.Context())
			var small sync.WaitGroup
			defer small.Wait()
			defer stop()
			for i := range 4 {
				try := i%2 == 0
				small.Go(func() {
					time.Sleep(time.Duration(i) * 30 * time.Millisecond)
					for ctx.Err() == nil {
						if try {
							if b := admitted(t, p); b != nil {
								time.Sleep(100 * time.Millisecond)
								p.Release(b)
							}
							time.Sleep(time.Millisecond)
						} else if release, err := ask(ctx, p, 1); err == nil {
							time.Sleep(100 * time.Millisecond)
							release()
						}
					}
				})
			}
			time.Sleep(time.Second)
			began := time.Now()
			release, err := ask(t.Context(), p, 8)
			if waited := time.Since(began); err != nil || waited < pause || waited > pause+turnTime {
				t.Errorf("served after %v: %v", waited, err)
			}
			release()
		})
	})
}

// The oldest waiter waits for a second and its turn at most, whoever else comes and goes, if
// nothing is held for longer than a turn. Turns take a quarter of the time at most.
func TestOldestWaits(t *testing.T) {
	const held = 100 * time.Millisecond
	onAll(t, func(t *testing.T, c config) {
		for name, w := range map[string]struct {
			rivals, size   int // slices of each, of 8, that come all the time
			waiters, bytes int // slices of each
		}{
			"eight large behind each other beside many small": {8, 1, 8, 8},
			"one large beside many small":                     {8, 1, 1, 8},
			"one small beside many large":                     {3, 5, 1, 1},
			"two of half beside what leaves less":             {4, 5, 2, 4},
		} {
			for _, wait := range []bool{false, true} { // rivals, where there is no room
				synctest.Test(t, func(t *testing.T) {
					p := limited(c, 8)
					var rivals, waiters sync.WaitGroup
					var done atomic.Bool
					for i := range w.rivals {
						rivals.Go(func() {
							time.Sleep(time.Duration(i) * held / time.Duration(w.rivals))
							for !done.Load() {
								b, err := p.TryNew(w.size * 4096)
								if err != nil && wait {
									b, err = p.Acquire(t.Context(), w.size*4096)
								}
								if err == nil {
									time.Sleep(held)
									p.Release(b)
								} else {
									time.Sleep(time.Millisecond)
								}
							}
						})
					}
					time.Sleep(time.Second)
					var mu sync.Mutex
					oldest, served := time.Now(), 0
					for range w.waiters {
						waiters.Go(func() {
							joined := time.Now()
							r, err := reserve(p, t.Context(), slices.Repeat([]int{4096}, w.bytes)...)
							mu.Lock()
							if waited := min(time.Since(oldest), time.Since(joined)); err != nil || waited > pause+turnTime {
								t.Errorf("%s, which wait: %v: the oldest was served after %v: %v", name, wait, waited, err)
							}
							oldest, served = time.Now(), served+1
							mu.Unlock()
							for range w.bytes { // others come in between
								b, _ := r.New(4096)
								time.Sleep(5 * time.Millisecond)
								p.Release(b)
							}
						})
						time.Sleep(110 * time.Millisecond) // so that they look at different times
					}
					waiters.Go(func() {
						turns, ms := 0, 0
						all := func() bool {
							mu.Lock()
							defer mu.Unlock()
							return served == w.waiters
						}
						for ; !all() || ms < 1000; ms++ {
							if p.limiter.turn.Load() != nil {
								turns++
							}
							time.Sleep(time.Millisecond)
						}
						if turns > ms/4+10 {
							t.Errorf("%s: %d of %d ms were turns", name, turns, ms)
						}
					})
					waiters.Wait()
					done.Store(true)
					rivals.Wait()
				})
			}
		}
	})
}

// A turn in a bubble whose clock stands still holds nobody up outside; and the oldest
// outside has its turn whoever is older in a bubble, and keeps it.
func TestTurnInBubble(t *testing.T) {
	onAll(t, func(t *testing.T, c config) {
		p := limited(c, 8)
		held, _ := p.TryNew(4 * 4096)
		turn, goOn := make(chan bool), make(chan bool)
		var bubble sync.WaitGroup
		bubble.Go(func() {
			synctest.Test(t, func(t *testing.T) {
				go func() {
					time.Sleep(pause + turnTime/2)
					if _, err := p.TryNew(4096); err == nil {
						t.Error("in the bubble a request is admitted in the turn of another one")
					}
					turn <- true
					<-goOn // the clock stands still
				}()
				b, err := p.Acquire(t.Context(), 8*4096)
				if err != nil {
					t.Error(err)
				}
				p.Release(b)
			})
		})
		<-turn
		b, err := p.TryNew(4096)
		if err != nil {
			t.Errorf("a request outside: %v", err)
		}
		p.Release(b)
		full, _ := p.TryNew(4 * 4096)
		w := p.limiter.join(4 * 4096)
		p.Release(full)
		select {
		case <-w.ready:
		default:
			t.Error("a waiter outside is not served")
		}
		own := p.limiter.join(5 * 4096)
		if next := p.limiter.tick(own); next != turnTime || p.limiter.turn.Load() != own {
			t.Errorf("the oldest outside has no turn, but looks again in %v", next)
		}
		if _, err := p.TryNew(4096); err == nil {
			t.Error("a request outside is admitted in its turn")
		}
		in := p.limiter.join(5 * 4096)
		in.bubble = math.MaxInt64
		if next := p.limiter.tick(in); next != pause || p.limiter.turn.Load() != own {
			t.Errorf("one in a bubble ends the turn of one outside, and looks again in %v", next)
		}
		p.limiter.finish(in, context.Canceled)
		p.limiter.finish(own, context.Canceled)
		p.limiter.Give(w.bytes)
		p.Release(held)
		close(goOn)
		bubble.Wait()
		if s := p.limiter.Stats(); s.InUse != 0 || s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// A request in a bubble is served by a release outside of it, of another bubble, and the
// other way round, and leaves nothing behind that others depend on.
func TestBubbles(t *testing.T) {
	onAskers(t, func(t *testing.T, c config, ask func(context.Context, *pool, int) (func(), error)) {
		p := limited(c, 8)
		for range 3 {
			b, _ := p.TryNew(8 * 4096)
			waits := make(chan bool)
			go func() {
				<-waits
				testenv.Eventually(t, "one waits", func() bool { return p.limiter.Stats().Waiting == 1 })
				p.Release(b)
			}()
			synctest.Test(t, func(t *testing.T) {
				close(waits)
				release, err := ask(t.Context(), p, 8)
				if err != nil {
					t.Fatal(err)
				}
				release()
			})

			b, _ = p.TryNew(8 * 4096)
			synctest.Test(t, func(t *testing.T) { // as in no bubble, time apart
				ctx, cancel := context.WithTimeout(t.Context(), time.Microsecond)
				defer cancel()
				if _, err := ask(ctx, p, 1); err != context.DeadlineExceeded {
					t.Errorf("error %v", err)
				}
				done := false
				go func() {
					release, err := ask(t.Context(), p, 8)
					if done = true; err == nil {
						release()
					}
				}()
				synctest.Wait()
				p.Release(b)
				if synctest.Wait(); !done {
					t.Error("a release in the same bubble did not serve the waiter at once")
				}
			})

			b, _ = p.TryNew(8 * 4096)
			served := make(chan error)
			go func() {
				release, err := ask(context.Background(), p, 8)
				if err == nil {
					release()
				}
				served <- err
			}()
			testenv.Eventually(t, "one waits", func() bool { return p.limiter.Stats().Waiting == 1 })
			synctest.Test(t, func(t *testing.T) { p.Release(b) })
			if err := <-served; err != nil {
				t.Error(err)
			}

			b, _ = p.TryNew(8 * 4096)
			var both sync.WaitGroup
			both.Go(func() {
				synctest.Test(t, func(t *testing.T) {
					if release, err := ask(t.Context(), p, 8); err == nil {
						release()
					}
				})
			})
			testenv.Eventually(t, "one waits", func() bool { return p.limiter.Stats().Waiting == 1 })
			synctest.Test(t, func(t *testing.T) { p.Release(b) })
			both.Wait()
		}
		if s := p.limiter.Stats(); s.InUse != 0 || s.Reserved != 0 || s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// A waiter that was granted what it waits for, and whose context has ended at the same time,
// passes it on.
func TestCancelOfGranted(t *testing.T) {
	p := limited(config{}, 8)
	all, _ := p.TryNew(8 * 4096)
	w, next := p.limiter.join(8*4096), p.limiter.join(4096)
	p.Release(all)
	<-w.ready
	select {
	case <-next.ready:
		t.Fatal("the other is granted room, too")
	default:
	}
	if err := p.limiter.finish(w, context.Canceled); err != context.Canceled {
		t.Error(err)
	}
	select {
	case <-next.ready:
	default:
		t.Error("what the first left is not granted to the next")
	}
	if s := p.limiter.Stats(); s.InUse != 4096 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
}

// To cancel waiters takes a time that does not depend on how many wait.
func BenchmarkCancel(b *testing.B) {
	for _, n := range []int{1000, 50_000} {
		b.Run("waiters="+strconv.Itoa(n), func(b *testing.B) {
			p := newPool(config{Limit: 4096, Waiters: n})
			p.New(4096)
			for b.Loop() {
				b.StopTimer()
				ctx, cancel := context.WithCancel(context.Background())
				var wg sync.WaitGroup
				for range n {
					wg.Go(func() { p.Acquire(ctx, 4096) })
				}
				for p.limiter.Stats().Waiting < n {
					time.Sleep(time.Millisecond)
				}
				b.StartTimer()
				cancel()
				wg.Wait()
			}
		})
	}
}
