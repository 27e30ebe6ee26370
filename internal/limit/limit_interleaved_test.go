//go:build octet_interleave && !octet_purego

package limit

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

// A service is a limit, and those who use it.
type service struct {
	limiter  *Limit
	inUse    int64 // bytes, as those know who have them
	refused  int   // requests
	exceeded bool  // by those who were admitted
}

// newService returns a service of which inUse of limit bytes are in use.
func newService(limit, inUse int64) *service {
	l := New("model", limit, 3)
	l.Take(inUse)
	return &service{limiter: l, inUse: inUse}
}

// took notes that n bytes are in use, unless the request was refused.
func (s *service) took(n int64, ok bool) bool {
	interleave.Access(&s.inUse, true)
	if !ok {
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
	s.limiter.Give(n)
}

// try asks for n bytes, and releases them if it gets them.
func (s *service) try(n int64) {
	if s.took(n, s.limiter.Admit(n)) {
		s.release(n)
	}
}

// keep asks for n bytes.
func (s *service) keep(n int64) { s.took(n, s.limiter.Admit(n)) }

// wait waits for n bytes, and releases them if it gets them.
func (s *service) wait(ctx context.Context, n int64) {
	if s.took(n, s.limiter.Wait(ctx, n) == nil) {
		s.release(n)
	}
}

// wake is the end of wait for one who is in line.
func (s *service) wake(w *waiter, ctx context.Context) {
	modelWait(w, ctx)
	if s.took(w.bytes, s.limiter.finish(w, ctx.Err()) == nil) {
		s.release(w.bytes)
	}
}

// reserve reserves 2 bytes, takes one of them, and gives back the other.
func (s *service) reserve() {
	if !s.limiter.Admit(2) {
		return
	}
	r := new(Reservation)
	r.Hold(s.limiter, 2, nil)
	s.took(1, r.Draw(1))
	r.Release()
}

// A world is what the threads of a program do, and what must be true when all have ended.
type world struct {
	service *service
	threads []func()
	refused int // requests at most
}

var worlds = map[string]func() world{
	"a release beside a waiter": func() world {
		s := newService(1, 1)
		return world{s, []func(){
			func() { s.release(1) },
			func() { s.wait(context.Background(), 1) },
		}, 0}
	},
	"two requests for the last byte": func() world {
		s := newService(2, 1)
		return world{s, []func(){func() { s.keep(1) }, func() { s.keep(1) }}, 1}
	},
	"one that fits beside one that does not": func() world {
		s := newService(2, 1)
		return world{s, []func(){func() { s.keep(2) }, func() { s.keep(1) }}, 1}
	},
	"a waiter beside requests that do not fit": func() world {
		s := newService(2, 2)
		return world{s, []func(){
			func() { s.try(2) },
			func() { s.release(1) },
			func() { s.wait(context.Background(), 1) },
		}, 1}
	},
	"a waiter whose context ends": func() world {
		s, ctx := newService(1, 1), newModelContext()
		w, next := s.limiter.join(1), s.limiter.join(1)
		return world{s, []func(){
			func() { s.release(1) },
			func() { s.wake(w, ctx) },
			func() { ctx.cancel(); s.wake(next, context.Background()) },
		}, 1}
	},
	"a reservation beside a waiter": func() world {
		s := newService(2, 0)
		return world{s, []func(){
			func() { s.reserve() },
			func() { s.wait(context.Background(), 1) },
		}, 0}
	},
	"a foreign slice": func() world {
		s := newService(2, 0)
		return world{s, []func(){
			func() { s.limiter.Give(1) },
			func() { s.wait(context.Background(), 2) },
		}, 0}
	},
	"a turn that ends": func() world {
		s, ctx := newService(2, 1), newModelContext() // one byte is in use all the time
		w := s.limiter.join(2)
		served := false
		return world{s, []func(){
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
	"a waiter that goes in its turn": func() world {
		s, ctx := newService(2, 1), newModelContext()
		w := s.limiter.join(2)
		return world{s, []func(){
			func() { s.wake(w, ctx) },
			func() { s.limiter.tick(w); ctx.cancel() },
			func() { s.wait(context.Background(), 1) },
		}, 1}
	},
	"a request beside a turn in a bubble whose clock stands still": func() world {
		s := newService(4, 3)
		w := s.limiter.join(4)
		w.bubble = 1
		s.limiter.tick(w)
		tried := false
		return world{s, []func(){
			func() { s.try(1); tried = true },
			func() { s.release(2) },
			func() {
				interleave.Wait(func() bool { return tried })
				s.limiter.finish(w, context.Canceled)
			},
		}, 0}
	},
	"a waiter beside a turn in a bubble whose clock stands still": func() world {
		s := newService(4, 3)
		w, other := s.limiter.join(4), s.limiter.join(2)
		w.bubble = 1
		s.limiter.tick(w)
		served := false
		return world{s, []func(){
			func() { s.release(2) },
			func() { s.wake(other, context.Background()); served = true },
			func() {
				interleave.Wait(func() bool { return served })
				s.limiter.finish(w, context.Canceled)
			},
		}, 0}
	},
	"a turn in another bubble": func() world {
		s := newService(3, 3)
		w, small, other := s.limiter.join(3), s.limiter.join(1), s.limiter.join(3)
		w.bubble, small.bubble, other.bubble = 1, 1, 2
		s.limiter.tick(w)
		s.release(2) // in its turn
		served := false
		return world{s, []func(){
			func() { s.limiter.tick(other) },
			func() { s.wake(small, context.Background()); served = true },
			func() {
				interleave.Wait(func() bool { return served })
				s.limiter.finish(w, context.Canceled)
				s.limiter.finish(other, context.Canceled)
			},
		}, 0}
	},
	"a turn": func() world {
		s := newService(2, 1)
		w := s.limiter.join(2)
		s.limiter.tick(w)
		return world{s, []func(){
			func() { s.wake(w, context.Background()) },
			func() { s.try(1) }, // refused, as long as the turn lasts
			func() { s.release(1) },
		}, 1}
	},
}

func (w world) check() error {
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
	for name, begin := range worlds {
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
