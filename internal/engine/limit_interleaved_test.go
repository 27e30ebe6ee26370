//go:build octet_interleave && !octet_purego

package engine

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/interleave"
)

// What the copies of the files use.
type modelUintptr = interleave.Uintptr

func modelPin() int { return interleave.Thread() }
func modelUnpin()   {}

func modelLoad(n *uint64) uint64 { return interleave.LoadUint64(n) }

func modelStore(p *uint64, n uint64) {
	interleave.Access(p, true)
	*p = n
}

func modelAdd(p *uint64) { modelStore(p, *p+1) }

// model is the program that is explored.
var model *service

// A service is a pool with a limit, and those who use it. Thread i has processor i.
type service struct {
	pool  *Pool
	now   time.Duration
	due   []func() // ticks
	ticks int      // there were
	inUse int64    // bytes of those who were admitted
	err   error
}

const (
	modelSize       = 64
	modelProcessors = 3
	modelTicks      = 4
)

// newService returns a service whose limit is n slices. Each processor has an idle slice.
func newService(n int64) *service {
	s := new(service)
	model = s
	armed.Store(true) // no collection looks at the pool
	p := newPool(Config{MinSize: modelSize, MaxSize: 4 * modelSize, Limit: n * modelSize, Budget: 1 << 30, Waiters: 2})
	p.records, p.limiter.credits = modelProcessors, make([]credit, modelProcessors)
	c := p.filed(modelSize)
	p.extend(c, modelProcessors)
	for i := range modelProcessors {
		r := c.records.at(uintptr(i))
		r.limit = slots
		r.install(new(stack))
		r.stack.Load().push(&r.top, itemOf(make([]byte, modelSize)))
	}
	s.pool = p
	return s
}

// after has f called some time later.
func (s *service) after(f func()) { s.due = append(s.due, f) }

// tick has time pass until the next tick.
func (s *service) tick() {
	f := s.due[0]
	s.due = s.due[1:]
	s.ticks++
	s.now += tickPeriod
	f()
}

// clock has time pass while all others wait.
func (s *service) clock() {
	for {
		interleave.Idle(func() bool { return len(s.due) > 0 && s.ticks < modelTicks })
		s.tick()
	}
}

// wait waits as a waiter does.
func (s *service) wait(w *waiter, ctx context.Context) {
	interleave.Wait(func() bool { return w.granted || ctx.Err() != nil })
}

// A modelContext ends when cancel is called.
type modelContext struct {
	context.Context
	err error
}

func (c *modelContext) Err() error { return c.err }

func (c *modelContext) cancel() {
	interleave.Step()
	c.err = context.Canceled
}

// use uses a slice that was admitted, if it was, and releases it.
func (s *service) use(b []byte, err error) {
	if err == nil {
		s.took(b)
		s.release(b)
	}
}

func (s *service) took(b []byte) {
	interleave.Access(&s.inUse, true)
	if s.inUse += int64(cap(b)); s.inUse > s.pool.limiter.limit && s.err == nil {
		s.err = fmt.Errorf("%d bytes in use", s.inUse)
	}
}

func (s *service) release(b []byte) {
	interleave.Access(&s.inUse, true)
	s.inUse -= int64(cap(b))
	s.pool.Release(b)
}

func (s *service) try()                        { s.use(s.pool.TryNew(modelSize)) }
func (s *service) acquire(ctx context.Context) { s.use(s.pool.Acquire(ctx, modelSize)) }

// fill asks for two slices, and releases those that it got.
func (s *service) fill() {
	var all [][]byte
	for range 2 {
		if b, err := s.pool.TryNew(modelSize); err == nil {
			s.took(b)
			all = append(all, b)
		}
	}
	for _, b := range all {
		s.release(b)
	}
}

// reserve reserves n slices, and uses one of them.
func (s *service) reserve(ctx context.Context, n int64) {
	r, err := s.pool.Reserve(ctx, n*modelSize)
	if err != nil {
		return
	}
	defer r.Release()
	b, err := r.New(modelSize)
	if err != nil {
		s.err = err
	}
	s.use(b, err)
}

// held returns a slice that is in use from the beginning.
func (s *service) held(size int) []byte {
	b := s.pool.New(size)
	s.inUse += int64(cap(b))
	return b
}

// credit gives processor 0 a credit of a slice.
func (s *service) credit() {
	s.pool.limiter.grant = modelSize
	s.pool.limiter.credits[0].left = modelSize
}

// near closes the fast paths from the beginning.
func (s *service) near() {
	s.pool.limiter.enterNear()
	s.pool.limiter.sweep()
}

// check looks at the service when all is done.
func (s *service) check() error {
	l := s.pool.limiter
	l.sweep()
	switch {
	case s.err != nil:
		return s.err
	case l.used != s.inUse:
		return fmt.Errorf("%d bytes count as in use, %d are", l.used, s.inUse)
	case l.held != 0 || len(l.queue) > 0:
		return fmt.Errorf("%d bytes are held, and %d wait", l.held, len(l.queue))
	case l.base[len(l.base)-1] != 0 || l.base[6] != 0:
		return fmt.Errorf("%d bytes count as from elsewhere", -l.base[6])
	}
	return nil
}

// worlds are what is explored: what each thread does after a beginning.
var worlds = map[string]func() (*service, []func()){
	"a release that the closing overtakes": func() (*service, []func()) {
		s := newService(1)
		b := s.held(modelSize)
		return s, []func(){
			func() { s.release(b) },
			func() { s.acquire(context.Background()) },
		}
	},
	"two requests for the last slice": func() (*service, []func()) {
		s := newService(2)
		s.held(modelSize)
		return s, []func(){s.try, s.try}
	},
	"a credit that is spent while the classes close": func() (*service, []func()) {
		s := newService(2)
		s.credit()
		return s, []func(){s.try, s.fill}
	},
	"a pair beside a sweep": func() (*service, []func()) {
		s := newService(2)
		b := s.held(modelSize)
		s.credit()
		return s, []func(){func() { s.release(b); s.try() }, s.fill}
	},
	"a waiter whose context ends": func() (*service, []func()) {
		s := newService(1)
		b := s.held(modelSize)
		s.near()
		ctx := &modelContext{Context: context.Background()}
		return s, []func(){
			func() { s.release(b) },
			func() { s.acquire(ctx) },
			func() { ctx.cancel(); s.acquire(context.Background()) },
		}
	},
	"a reservation beside a waiter": func() (*service, []func()) {
		s := newService(2)
		b := s.held(2 * modelSize)
		s.near()
		return s, []func(){
			func() { s.release(b) },
			func() { s.reserve(context.Background(), 2) },
			func() { s.acquire(context.Background()) },
		}
	},
}

func TestLimitInterleaved(t *testing.T) {
	for name, begin := range worlds {
		began := time.Now()
		n, err := interleave.Explore(func() interleave.Program {
			s, threads := begin()
			return interleave.Program{Threads: append(threads, s.clock), Check: s.check}
		})
		if err != nil {
			t.Fatalf("in the world %q: %v", name, err)
		}
		t.Logf("%s: %d orders in %v", name, n, time.Since(began))
	}
}
