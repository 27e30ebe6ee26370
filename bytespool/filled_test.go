package bytespool_test

import (
	"context"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// Each figure is filled by something: none is 0 for ever because nobody counts.
func TestEveryFigureIsFilled(t *testing.T) {
	if sanitize.Enabled || !rt.FindsFronts {
		t.Skip("some figures stay 0: what is released is poisoned, or nothing says where a slice's memory begins")
	}
	filled := make(map[string]bool)
	see := func(p *bytespool.Pool) { note(filled, "", reflect.ValueOf(p.Stats())) }

	limit := bytespool.NewLimit(1<<20, bytespool.WithName("limit"))
	p := bytespool.NewPool(bytespool.WithSizes(64, 64<<10), bytespool.WithName("pool"), bytespool.WithIdleBudget(256<<10), bytespool.WithSharedLimit(limit))
	b := p.New(1000)
	see(p)
	p.Release(b)
	p.Release(p.New(1000))
	p.Release(p.New(1 << 20))   // above the largest size
	p.Release(make([]byte, 10)) // below the smallest
	p.Release(p.New(1000)[8:])  //poolcheck:ignore OCT006 the front is cut off on purpose
	p.Abandon(p.New(1000))
	for range 100 {
		p.Release(make([]byte, 64<<10)) // more than the budget
	}
	p.TryNew(2 << 20) // more than the limit
	r, err := p.TryReserve(1000)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan bool)
	go func() {
		p.Acquire(ctx, 1<<20)
		close(done)
	}()
	testenv.Eventually(t, "one waits", func() bool { return p.Stats().Limit.Waiting > 0 })
	time.Sleep(time.Millisecond)
	see(p)
	cancel()
	<-done
	r.Release()
	testenv.Eventually(t, "Trim drops an idle slice", func() bool { // a collection may have been there first
		p.Release(p.New(1000))
		p.Trim()
		return p.Stats().Dropped.Trimmed > 0
	})
	see(p)

	q := bytespool.NewPool(bytespool.WithSizes(64, 64<<10), bytespool.WithRetain(0))
	for range 10_000 {
		q.Release(make([]byte, 8<<10)) // more than anybody asked for
	}
	q.Release(q.New(1000))
	testenv.Eventually(t, "idle slices are dropped after collections", func() bool {
		runtime.GC()
		return q.Stats().Dropped.Aged > 0
	})
	see(q)

	u := bytespool.NewPool(bytespool.WithSizes(64, 64<<10))
	testenv.Eventually(t, "a collection finds slices in use", func() bool {
		u.Release(u.New(64))
		held := u.New(64 << 10)
		runtime.GC()
		runtime.KeepAlive(held)
		return u.Stats().Pressure.Used > 0
	})
	see(u)

	const short = ".Pressure.GCLimitedCycle" // the runtime's, where memory is short
	for name, is := range filled {
		if !is && name != short {
			t.Errorf("nothing has filled %s", name)
		}
	}
	if len(filled) < 60 {
		t.Errorf("%d figures were looked at", len(filled))
	}
}

// note notes which figures are not zero.
func note(filled map[string]bool, name string, v reflect.Value) {
	switch _, when := v.Interface().(time.Time); {
	case v.Kind() == reflect.Struct && !when:
		for i := range v.NumField() {
			path := name + "." + v.Type().Field(i).Name
			if v.Type().Field(i).Anonymous {
				path = name
			}
			note(filled, path, v.Field(i))
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			note(filled, name, v.Index(i))
		}
	default:
		filled[name] = filled[name] || !v.IsZero()
	}
}
