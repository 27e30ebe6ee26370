//go:build octet_interleave && !octet_purego

package limit

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/interleave"
)

// modelWait waits as a waiter does.
func modelWait(w *waiter, ctx context.Context) {
	interleave.Wait(func() bool {
		select {
		case <-w.ready:
			return true
		default:
			return ctx.Err() != nil || w.bubble != 0 && w.granted // as its ticker would find
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
	*Limit
	inUse    int64 // bytes, as those know who have them
	refused  int   // requests
	passed   bool  // a new request was admitted while others waited that came before
	exceeded bool  // by those who were admitted
}

// newService returns a service of which inUse of limit bytes are in use.
func newService(limit, inUse int64) *service {
	l := New("model", limit, 3)
	l.Take(inUse)
	return &service{Limit: l, inUse: inUse}
}

// took notes that n bytes are in use, unless the request was refused.
func (s *service) took(n int64, ok bool) bool {
	interleave.Access(&s.inUse, true)
	if !ok {
		s.refused++
		return false
	}
	s.inUse += n
	s.exceeded = s.exceeded || s.inUse > s.limit
	return true
}

// release releases n bytes.
func (s *service) release(n int64) {
	interleave.Access(&s.inUse, true)
	s.inUse -= n
	s.Give(n)
}

// try asks for n bytes, and releases them if it gets them.
func (s *service) try(n int64) {
	if s.took(n, s.Admit(n)) {
		s.release(n)
	}
}

// keep asks for n bytes.
func (s *service) keep(n int64) { s.took(n, s.Admit(n)) }

// wait waits for n bytes, and releases them if it gets them.
func (s *service) wait(ctx context.Context, n int64) {
	if s.took(n, s.Wait(ctx, n) == nil) {
		s.release(n)
	}
}

// wake is the end of wait for one who is in line.
func (s *service) wake(w *waiter, ctx context.Context) {
	modelWait(w, ctx)
	if s.took(w.bytes, s.finish(w, ctx.Err()) == nil) {
		s.release(w.bytes)
	}
}

// reserve reserves 2 bytes, takes one of them, and gives back the other.
func (s *service) reserve() {
	if !s.Admit(2) {
		return
	}
	r := new(Reservation)
	r.Hold(s.Limit, 2, nil)
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
	"a new request beside one that waits for more": func() world {
		s := newService(4, 3)
		w := s.join(3)
		return world{s, []func(){
			func() {
				// There is room for it, and it may not have it before w has come and gone.
				ok := s.Admit(1)
				s.passed = ok && !w.granted
				s.took(1, ok)
			},
			func() { s.release(2) },
			func() { s.wake(w, context.Background()) },
		}, 1}
	},
	"two waiters, the first of which is large": func() world {
		s := newService(2, 1)
		ctx := newModelContext()
		w, next := s.join(2), s.join(1)
		return world{s, []func(){
			func() { s.wake(w, ctx) },
			func() { s.wake(next, context.Background()) },
			func() { ctx.cancel() },
		}, 1}
	},
	"a waiter whose context ends": func() world {
		s, ctx := newService(1, 1), newModelContext()
		w, next := s.join(1), s.join(1)
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
			func() { s.Give(1) },
			func() { s.wait(context.Background(), 2) },
		}, 0}
	},
}

func (w world) check() error {
	s := w.service
	switch {
	case s.exceeded:
		return fmt.Errorf("more was admitted than the limit allows")
	case s.passed:
		return fmt.Errorf("one in line was passed")
	case s.refused > w.refused:
		return fmt.Errorf("%d requests were refused", s.refused)
	case s.state.Load() != 2*s.inUse:
		return fmt.Errorf("the state is %d, and %d bytes are in use", s.state.Load(), s.inUse)
	case s.line.Len() != 0 || s.reserved.Load() != 0:
		return fmt.Errorf("%d wait, %d bytes are reserved", s.line.Len(), s.reserved.Load())
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
