package engine

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
	"github.com/octet-go/octet/internal/limit"
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
// the number of processors and the mode of package check change, and idle memory is
// dropped. Nobody else writes to what one has. In the end nothing is in use, nothing was found, and what
// was in use stayed within the limit, if there is one.
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
	modes := []check.Config{{}, {Mode: check.Sample, OneIn: 20}, {Mode: check.Full}, {Mode: check.Sample, OneIn: 1}, {Mode: check.Guard}}
	found := checktest.Start(t, modes[0])
	for i := 0; ; i++ {
		select {
		case <-done:
		case <-time.After(2 * time.Millisecond):
			check.Set(modes[i/8%len(modes)])
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
	inUse := int64(0) // a loan that is dropped as the mode changes counts in another class than what takes its place
	for _, c := range p.Stats().Classes {
		inUse += c.InUse()
	}
	if inUse != 0 {
		t.Errorf("in the end the classes have %d in use", inUse)
	}
	if most := l.most.Swap(0); p.Limited() && most > p.limiter.Bytes() {
		t.Errorf("%d bytes were in use with a limit of %d", most, p.limiter.Bytes())
	}
	for _, f := range found() {
		t.Errorf("%s", f.Error())
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
			res, err = tryReserve(p, size, size)
		} else {
			res, err = reserve(p, ctx, size, size)
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
	case errors.Is(err, limit.ErrLimit):
		l.rejected.Add(1)
	case err != nil:
		l.canceled.Add(1)
	default:
		l.admitted.Add(1)
		l.add(cap(b))
		b = b[:cap(b)]
		stamp := byte(r.Uint32())
		for i := range b {
			b[i] = stamp
		}
		if r.IntN(8) == 0 {
			time.Sleep(time.Duration(r.IntN(50)) * time.Microsecond)
		}
		if slices.ContainsFunc(b, func(x byte) bool { return x != stamp }) {
			t.Error("a slice is in two hands")
		}
		l.add(-cap(b))
		if class := p.Capacity(p.Class(size)); class <= cap(b) && cap(b) < class+class/8 { // else it is lent
			b = b[:class]
		}
		switch r.IntN(4) {
		case 0:
			b = b[:len(b):len(b)]
		case 1:
			b = slices.Clip(b)
		case 2:
			if grown := append(b, 0); &grown[0] == &b[0] {
				t.Error("append has not moved a full slice")
			}
		}
		p.Release(b)
	}
}

// Whatever goes on, no more is in use than the limit allows, and nobody waits for ever.
func TestSoak(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	run := func(d time.Duration) (pools int) {
		var all load
		onAllKinds(t, func(t *testing.T, c Config) {
			for _, c.Limit = range []int64{0, 64 << 10, 512 << 10} {
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
