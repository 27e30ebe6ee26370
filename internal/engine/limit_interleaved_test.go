//go:build octet_interleave && !octet_purego

package engine

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/interleave"
)

// modelWait waits as a waiter does, without turns.
func modelWait(w *waiter, ctx context.Context) {
	interleave.Wait(func() bool {
		select {
		case <-w.ready:
			return true
		default:
			return ctx.Err() != nil || w.bubble != 0 && w.granted // as its timer would find
		}
	})
}

// A modelContext ends when cancel is called.
type modelContext struct {
	context.Context
	err error
}

func newModelContext() *modelContext { return &modelContext{Context: context.Background()} }

func (c *modelContext) Err() error { return c.err }

func (c *modelContext) cancel() {
	interleave.Step()
	c.err = context.Canceled
}

// A service is a pool with a limit, and those who use it.
type service struct {
	pool     *Pool
	limiter  *Limit
	inUse    int64 // bytes, as those know who have them
	refused  int   // requests
	exceeded bool  // by those who were admitted
}

// newService returns a service of which inUse of limit bytes are in use.
func newService(limit, inUse int64) *service {
	p := newPool(Config{Limit: limit, Waiters: 3})
	p.limiter.take(inUse)
	return &service{pool: p, limiter: p.limiter, inUse: inUse}
}

// took notes that n bytes are in use, unless the request was refused.
func (s *service) took(n int64, err error) bool {
	interleave.Access(&s.inUse, true)
	if err != nil {
		s.refused++
		return false
	}
	s.inUse += n
	s.exceeded = s.exceeded || s.inUse > s.limiter.limit
	return true
}

// release releases n bytes.
func (s *service) release(n int64) {
	interleave.Access(&s.inUse, true)
	s.inUse -= n
	s.pool.discharge(int(n))
}

// try asks for n bytes, and releases them if it gets them.
func (s *service) try(n int64) {
	if s.took(n, s.pool.ask(n)) {
		s.release(n)
	}
}

// keep asks for n bytes.
func (s *service) keep(n int64) { s.took(n, s.pool.ask(n)) }

// wait waits for n bytes, and releases them if it gets them.
func (s *service) wait(ctx context.Context, n int64) {
	if s.took(n, s.pool.wait(ctx, n)) {
		s.release(n)
	}
}

// wake is the end of wait for one who is in line.
func (s *service) wake(w *waiter, ctx context.Context) {
	modelWait(w, ctx)
	if s.took(w.bytes, s.limiter.finish(w, ctx.Err())) {
		s.release(w.bytes)
	}
}

// reserve reserves 2 bytes, takes one of them, and gives back the other.
func (s *service) reserve() {
	if s.pool.ask(2) != nil {
		return
	}
	r := new(Reservation)
	s.pool.reserve(r, 2, nil)
	s.took(1, r.draw(1))
	r.Release()
}

// A limitWorld is what the threads of a program do, and what must be true when all have ended.
type limitWorld struct {
	service *service
	threads []func()
	refused int // requests at most
}

var limitWorlds = map[string]func() limitWorld{
	"a release beside a waiter": func() limitWorld {
		s := newService(1, 1)
		return limitWorld{s, []func(){
			func() { s.release(1) },
			func() { s.wait(context.Background(), 1) },
		}, 0}
	},
	"two requests for the last byte": func() limitWorld {
		s := newService(2, 1)
		return limitWorld{s, []func(){func() { s.keep(1) }, func() { s.keep(1) }}, 1}
	},
	"a release in one pool beside a waiter in another": func() limitWorld {
		s := newService(4, 4)
		other := newPool(Config{Shared: s.limiter})
		return limitWorld{s, []func(){
			func() { s.release(4) },
			func() {
				n, err := other.AdmitWaiting(context.Background(), 4)
				s.took(n, err)
			},
			func() {
				if n, err := s.pool.Admit(2, 0); s.took(n, err) {
					s.release(n)
				}
			},
		}, 1}
	},
	"one that fits beside one that does not": func() limitWorld {
		s := newService(2, 1)
		return limitWorld{s, []func(){func() { s.keep(2) }, func() { s.keep(1) }}, 1}
	},
	"a waiter beside requests that do not fit": func() limitWorld {
		s := newService(2, 2)
		return limitWorld{s, []func(){
			func() { s.try(2) },
			func() { s.release(1) },
			func() { s.wait(context.Background(), 1) },
		}, 1}
	},
	"a waiter whose context ends": func() limitWorld {
		s, ctx := newService(1, 1), newModelContext()
		w, next := s.limiter.join(1, 1024), s.limiter.join(1, 1024)
		return limitWorld{s, []func(){
			func() { s.release(1) },
			func() { s.wake(w, ctx) },
			func() { ctx.cancel(); s.wake(next, context.Background()) },
		}, 1}
	},
	"a reservation beside a waiter": func() limitWorld {
		s := newService(2, 0)
		return limitWorld{s, []func(){
			func() { s.reserve() },
			func() { s.wait(context.Background(), 1) },
		}, 0}
	},
	"a foreign slice": func() limitWorld {
		s := newService(2, 0)
		return limitWorld{s, []func(){
			func() { s.limiter.give(1) },
			func() { s.wait(context.Background(), 2) },
		}, 0}
	},
	"a turn that ends": func() limitWorld {
		s, ctx := newService(2, 1), newModelContext() // one byte is in use all the time
		w := s.limiter.join(2, 1024)
		served := false
		return limitWorld{s, []func(){
			func() { s.wake(w, ctx) },
			func() {
				s.limiter.tick(w)
				s.limiter.tick(w)
				interleave.Wait(func() bool { return served })
				ctx.cancel()
			},
			func() { s.wait(context.Background(), 1); served = true },
		}, 1}
	},
	"a waiter that goes in its turn": func() limitWorld {
		s, ctx := newService(2, 1), newModelContext()
		w := s.limiter.join(2, 1024)
		return limitWorld{s, []func(){
			func() { s.wake(w, ctx) },
			func() { s.limiter.tick(w); ctx.cancel() },
			func() { s.wait(context.Background(), 1) },
		}, 1}
	},
	"a request beside a turn in a bubble whose clock stands still": func() limitWorld {
		s := newService(4, 3)
		w := s.limiter.join(4, 1024)
		w.bubble = 1
		s.limiter.tick(w)
		tried := false
		return limitWorld{s, []func(){
			func() { s.try(1); tried = true },
			func() { s.release(2) },
			func() {
				interleave.Wait(func() bool { return tried })
				s.limiter.finish(w, context.Canceled)
			},
		}, 0}
	},
	"a waiter beside a turn in a bubble whose clock stands still": func() limitWorld {
		s := newService(4, 3)
		w, other := s.limiter.join(4, 1024), s.limiter.join(2, 1024)
		w.bubble = 1
		s.limiter.tick(w)
		served := false
		return limitWorld{s, []func(){
			func() { s.release(2) },
			func() { s.wake(other, context.Background()); served = true },
			func() {
				interleave.Wait(func() bool { return served })
				s.limiter.finish(w, context.Canceled)
			},
		}, 0}
	},
	"a turn in another bubble": func() limitWorld {
		s := newService(3, 3)
		w, small, other := s.limiter.join(3, 1024), s.limiter.join(1, 1024), s.limiter.join(3, 1024)
		w.bubble, small.bubble, other.bubble = 1, 1, 2
		s.limiter.tick(w)
		s.release(2) // in its turn
		served := false
		return limitWorld{s, []func(){
			func() { s.limiter.tick(other) },
			func() { s.wake(small, context.Background()); served = true },
			func() {
				interleave.Wait(func() bool { return served })
				s.limiter.finish(w, context.Canceled)
				s.limiter.finish(other, context.Canceled)
			},
		}, 0}
	},
	"a turn": func() limitWorld {
		s := newService(2, 1)
		w := s.limiter.join(2, 1024)
		s.limiter.tick(w)
		return limitWorld{s, []func(){
			func() { s.wake(w, context.Background()) },
			func() { s.try(1) }, // refused, as long as the turn lasts
			func() { s.release(1) },
		}, 1}
	},
}

func (w limitWorld) check() error {
	s := w.service
	switch l := s.limiter; {
	case s.exceeded:
		return fmt.Errorf("more was admitted than the limit allows")
	case s.refused > w.refused:
		return fmt.Errorf("%d requests were refused", s.refused)
	case l.used.Load() != s.inUse:
		return fmt.Errorf("%d bytes count, and %d are in use", l.used.Load(), s.inUse)
	case l.waiting.Load() != 0 || l.line.Len() != 0 || l.turn.Load() != nil || l.reserved.Load() != 0:
		return fmt.Errorf("%d wait, it is the turn of one: %v, %d bytes are reserved", l.waiting.Load(), l.turn.Load() != nil, l.reserved.Load())
	}
	return nil
}

func TestLimitInterleaved(t *testing.T) {
	for name, begin := range limitWorlds {
		began := time.Now()
		n, err := interleave.Explore(func() interleave.Program {
			w := begin()
			return interleave.Program{Threads: w.threads, Check: w.check}
		})
		if err != nil {
			t.Fatalf("in the world %q: %v", name, err)
		}
		t.Logf("%s: %d orders in %v", name, n, time.Since(began))
	}
}
