package limit

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/internal/testenv"
)

// eight returns a limit with room for eight, and for a long line.
func eight() *Limit { return New("", 8, 1024) }

// The oldest waiter is served first, one release serves as many as fit, and those that do
// not fit hold nobody up.
func TestOrderOfWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eight()
		l.Take(8)
		var mu sync.Mutex
		var order []int
		for i, n := range []int64{4, 8, 4, 1, 1} {
			go func() {
				if err := l.Wait(t.Context(), n); err != nil {
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
			if !slices.Equal(order, served) || l.Stats().Waiting != 5-len(served) {
				t.Fatalf("served were %v, want %v: %+v", order, served, l.Stats())
			}
		}
		want()
		l.Give(8)
		want(0, 2)
		l.Give(1)
		want(0, 2, 3)
		l.Give(8)
		want(0, 1, 2, 3) // the oldest of the two, though the other fits as well
		l.Give(1)
		want(0, 1, 2, 3, 4)
	})
}

// A large request beside one that does not end holds others up for a moment now and then,
// and no longer.
func TestLargeRequestBesideLongOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eight()
		l.Take(2)
		large := make(chan error)
		go func() { large <- l.Wait(t.Context(), 8) }()
		synctest.Wait()
		var since, longest time.Duration // for which all requests have been refused
		refused, asked := 0, 0
		for asked < 10_000 {
			time.Sleep(time.Millisecond)
			if asked++; !l.Admit(1) {
				refused++
				since += time.Millisecond
				longest = max(longest, since)
				continue
			}
			since = 0
			l.Give(1)
		}
		if longest > turnTime+time.Millisecond || refused == 0 || refused > asked/10 {
			t.Errorf("%d of %d requests were refused, and all for %v", refused, asked, longest)
		}
		for range 40 { // some of them in a turn
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := l.Wait(ctx, 4)
			cancel()
			if err != nil {
				t.Fatalf("one that fits waits for long: %v", err)
			}
			l.Give(4)
			time.Sleep(100 * time.Millisecond)
		}
		l.Give(2)
		if err := <-large; err != nil {
			t.Error(err)
		}
	})
}

// The oldest waiter waits for a second and its turn at most, whoever else comes and goes, if
// nothing is held for longer than a turn. Turns take a quarter of the time at most.
func TestOldestWaits(t *testing.T) {
	const held = 100 * time.Millisecond
	for name, w := range map[string]struct {
		rivals         int
		size           int64 // of each, of 8, that come all the time
		waiters, bytes int64 // bytes of each
	}{
		"eight large behind each other beside many small": {8, 1, 8, 8},
		"one large beside many small":                     {8, 1, 1, 8},
		"one small beside many large":                     {3, 5, 1, 1},
		"two of half beside what leaves less":             {4, 5, 2, 4},
	} {
		for _, wait := range []bool{false, true} { // rivals, where there is no room
			synctest.Test(t, func(t *testing.T) {
				l := eight()
				var rivals, waiters sync.WaitGroup
				var done atomic.Bool
				for i := range w.rivals {
					rivals.Go(func() {
						time.Sleep(time.Duration(i) * held / time.Duration(w.rivals))
						for !done.Load() {
							if l.Admit(w.size) || wait && l.Wait(t.Context(), w.size) == nil {
								time.Sleep(held)
								l.Give(w.size)
							} else {
								time.Sleep(time.Millisecond)
							}
						}
					})
				}
				time.Sleep(time.Second)
				var mu sync.Mutex
				oldest, served := time.Now(), int64(0)
				for range w.waiters {
					waiters.Go(func() {
						joined := time.Now()
						err := l.Wait(t.Context(), w.bytes)
						mu.Lock()
						if waited := min(time.Since(oldest), time.Since(joined)); err != nil || waited > pause+turnTime {
							t.Errorf("%s, which wait: %v: the oldest was served after %v: %v", name, wait, waited, err)
						}
						oldest, served = time.Now(), served+1
						mu.Unlock()
						for range w.bytes { // others come in between
							time.Sleep(5 * time.Millisecond)
							l.Give(1)
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
						if l.turn.Load() != nil {
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
}

// A turn in a bubble whose clock stands still holds nobody up outside; and the oldest
// outside has its turn whoever is older in a bubble, and keeps it.
func TestTurnInBubble(t *testing.T) {
	l := eight()
	l.Take(4)
	turn, goOn := make(chan bool), make(chan bool)
	var bubble sync.WaitGroup
	bubble.Go(func() {
		synctest.Test(t, func(t *testing.T) {
			go func() {
				time.Sleep(pause + turnTime/2)
				if l.Admit(1) {
					t.Error("in the bubble a request is admitted in the turn of another one")
				}
				turn <- true
				<-goOn // the clock stands still
			}()
			if err := l.Wait(t.Context(), 8); err != nil {
				t.Error(err)
			}
			l.Give(8)
		})
	})
	<-turn
	if !l.Admit(1) {
		t.Error("a request outside is refused")
	}
	l.Give(1)
	l.Take(4)
	w := l.join(4)
	l.Give(4)
	select {
	case <-w.ready:
	default:
		t.Error("a waiter outside is not served")
	}
	own := l.join(5)
	if next := l.tick(own); next != turnTime || l.turn.Load() != own {
		t.Errorf("the oldest outside has no turn, but looks again in %v", next)
	}
	if l.Admit(1) {
		t.Error("a request outside is admitted in its turn")
	}
	in := l.join(5)
	in.bubble = math.MaxInt64
	if next := l.tick(in); next != pause || l.turn.Load() != own {
		t.Errorf("one in a bubble ends the turn of one outside, and looks again in %v", next)
	}
	l.finish(in, context.Canceled)
	l.finish(own, context.Canceled)
	l.Give(w.bytes)
	l.Give(4)
	close(goOn)
	bubble.Wait()
	if s := l.Stats(); s.InUse != 0 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
}

// A request in a bubble is served by a release outside of it, of another bubble, and the
// other way round, and leaves nothing behind that others depend on.
func TestBubbles(t *testing.T) {
	l := eight()
	waits := func() {
		testenv.Eventually(t, "one waits", func() bool { return l.Stats().Waiting == 1 })
	}
	serve := func(t *testing.T) {
		if err := l.Wait(t.Context(), 8); err != nil {
			t.Error(err)
		}
		l.Give(8)
	}
	for range 3 {
		l.Take(8)
		began := make(chan bool)
		go func() {
			<-began
			waits()
			l.Give(8)
		}()
		synctest.Test(t, func(t *testing.T) {
			close(began)
			serve(t)
		})

		l.Take(8)
		synctest.Test(t, func(t *testing.T) { // as in no bubble, time apart
			ctx, cancel := context.WithTimeout(t.Context(), time.Microsecond)
			defer cancel()
			if err := l.Wait(ctx, 1); err != context.DeadlineExceeded {
				t.Errorf("error %v", err)
			}
			done := false
			go func() {
				serve(t)
				done = true
			}()
			synctest.Wait()
			l.Give(8)
			if synctest.Wait(); !done {
				t.Error("a release in the same bubble did not serve the waiter at once")
			}
		})

		var served sync.WaitGroup
		for _, run := range []func(){
			func() { serve(t) },
			func() { synctest.Test(t, serve) },
		} {
			l.Take(8)
			served.Go(run)
			waits()
			synctest.Test(t, func(t *testing.T) { l.Give(8) })
			served.Wait()
		}
	}
	if s := l.Stats(); s.InUse != 0 || s.Waiting != 0 {
		t.Errorf("%+v", s)
	}
}
