package bytespool_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/check/checktest"
)

// The methods of pools with a limit, and what Stats says of each.
func TestLimit(t *testing.T) {
	p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithName("uploads"), bytespool.WithLimit(64<<10))
	want := func(what string, want stats.Limit) {
		t.Helper()
		got := p.Stats().Limit
		want.Name, want.Bytes, got.ID, got.Waited = "uploads", 64<<10, 0, 0
		if got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	if s := p.Stats(); s.Budget != 0 || s.Retain != time.Second || s.Steps != 1 {
		t.Errorf("budget %d, retain %v, %d steps", s.Budget, s.Retain, s.Steps)
	}
	tried, err := p.TryNew(10000)
	if err != nil || len(tried) != 10000 || cap(tried) != 16384 {
		t.Fatalf("TryNew: length %d, %v", len(tried), err)
	}
	want("TryNew", stats.Limit{InUse: 16 << 10, Peak: 16 << 10})
	reserved, err := p.TryReserve(30000)
	if err != nil {
		t.Fatal(err)
	}
	want("TryReserve", stats.Limit{InUse: 16 << 10, Reserved: 32 << 10, Peak: 48 << 10})
	acquired, err := p.Acquire(t.Context(), 16<<10)
	if err != nil || len(acquired) != 16<<10 {
		t.Fatalf("Acquire: length %d, %v", len(acquired), err)
	}
	want("Acquire", stats.Limit{InUse: 32 << 10, Reserved: 32 << 10, Peak: 64 << 10})
	_, err = p.TryNew(1)
	if !errors.Is(err, bytespool.ErrLimit) {
		t.Fatalf("TryNew at the limit: %v", err)
	}
	for _, want := range []string{`"uploads"`, "2 bytes", "65536 of 65536"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not contain %q", err, want)
		}
	}
	want("rejected", stats.Limit{InUse: 32 << 10, Reserved: 32 << 10, Rejected: 1, Peak: 64 << 10})
	b, err := reserved.New(30000)
	if err != nil || len(b) != 30000 {
		t.Fatalf("New of a reservation: length %d, %v", len(b), err)
	}
	reserved.Release()
	reserved.Release()
	want("reservation released", stats.Limit{InUse: 64 << 10, Rejected: 1, Peak: 64 << 10})
	p.Release(tried)
	p.Release(acquired)
	want("released", stats.Limit{InUse: 32 << 10, Rejected: 1, Peak: 64 << 10})
}

// What waits, goes with its context, and is bounded.
func TestLimitWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := bytespool.NewPool(bytespool.WithSizes(2, 1<<20), bytespool.WithLimit(4096))
		b := p.New(4096)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		const most = 1024
		var late atomic.Int32
		for range most {
			go func() {
				if _, err := p.Acquire(ctx, 4096); err == context.DeadlineExceeded {
					late.Add(1)
				}
			}()
		}
		synctest.Wait()
		if _, err := p.Reserve(t.Context(), 1); !errors.Is(err, bytespool.ErrLimit) {
			t.Errorf("one waiter more: %v", err)
		}
		if n := p.Stats().Limit.Waiting; n != most {
			t.Errorf("%d wait", n)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if n := late.Load(); n != most {
			t.Errorf("the context of %d ended", n)
		}
		go p.Release(b)
		r, err := p.Reserve(t.Context(), 4096)
		if err != nil {
			t.Fatal(err)
		}
		r.Release()
		if s := p.Stats().Limit; s.Waited < time.Second || s.Waiting != 0 || s.Reserved != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// The methods of a Reservation work on nil.
func TestNilReservation(t *testing.T) {
	var r *bytespool.Reservation
	if _, err := r.New(1); !errors.Is(err, bytespool.ErrLimit) {
		t.Errorf("New of a nil Reservation: %v", err)
	}
	r.Release()
}

// What the other ways into a pool hand out counts, and counts no more when it is back, in
// whatever mode.
func TestLimitOfPointersAndAllocators(t *testing.T) {
	modes := []check.Config{{}, {Mode: check.Sample, OneIn: 1}, {Mode: check.Full}}
	for _, first := range modes {
		for _, second := range modes {
			checktest.Start(t, first)
			p := bytespool.NewPool(bytespool.WithSizes(64, 4096), bytespool.WithLimit(1<<20))
			pointers, allocator := bytespool.NewPointerPool(p), bytespool.NewAllocator(p)
			buffers := bytespool.NewBufPool(4096, bytespool.WithLimit(1<<20))
			lost := int64(0)
			want := func(what string, n int64) {
				t.Helper()
				n += lost
				if s := p.Stats().Limit; s.InUse != n || buffers.Pools().Stats().Limit.InUse != min(n-lost, 4096) {
					t.Fatalf("modes %v and %v: %s: %+v, want %d in use", first.Mode, second.Mode, what, s, n)
				}
			}
			for range 3 { // new ones, then idle ones
				check.Set(first)
				a, b, c := pointers.Get(100), pointers.Get(4096), pointers.Get(5000)
				d, e, f := allocator.Allocate(128), allocator.Allocate(4096), allocator.Allocate(8128)
				g := buffers.Get()
				want("all", 128+4096+5000+128+4096+8128)
				*a = make([]byte, 64) // its array is lost, and a foreign one comes back
				check.Set(second)
				for _, b := range []*[]byte{a, b, c} {
					pointers.Put(b)
				}
				want("pointers", 128+4096+8128+128-64)
				for _, b := range [][]byte{d, e, f} {
					allocator.Free(b)
				}
				buffers.Put(g)
				lost += 128 - 64
				want("all was released", 0)
			}
			check.Set(check.Config{})
		}
	}
}

// Pools that share a limit admit as much together, each with its own figures, and who waits
// for one of them is served by a release in another.
func TestSharedLimit(t *testing.T) {
	l := bytespool.NewLimit(64<<10, bytespool.WithName("memory"))
	small := bytespool.NewPool(bytespool.WithSizes(64, 4<<10), bytespool.WithName("small"), bytespool.WithSharedLimit(l))
	large := bytespool.NewPool(bytespool.WithSizes(8<<10, 64<<10), bytespool.WithName("large"), bytespool.WithSharedLimit(l), bytespool.WithSteps(4))
	a, err := small.TryNew(4 << 10)
	b, err2 := large.TryNew(48 << 10)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	_, err = large.TryNew(16 << 10)
	if !errors.Is(err, bytespool.ErrLimit) || !strings.Contains(err.Error(), `pool "large": 16384 bytes asked for, 53248 of 65536 of limit "memory"`) {
		t.Error(err)
	}
	for _, p := range []*bytespool.Pool{small, large} {
		rejected := uint64(0)
		if p == large {
			rejected = 1
		}
		want := stats.Limit{ID: l.Stats().ID, Shared: true, Name: "memory", Bytes: 64 << 10, InUse: 52 << 10, Rejected: 1, Peak: 52 << 10}
		if s := p.Stats(); s.Limit != want || s.Rejected != rejected || s.InUse != 1 {
			t.Errorf("%s: %+v", s.Name, s)
		}
	}
	if s := l.Stats(); s.InUse != 52<<10 || s.Rejected != 1 || !s.Shared || s.Name != "memory" {
		t.Errorf("%+v", s)
	}
	got := make(chan error)
	go func() {
		c, err := small.Acquire(t.Context(), 4<<10)
		small.Release(c)
		d, err2 := large.Acquire(t.Context(), 64<<10) // all of it
		large.Release(d)
		got <- errors.Join(err, err2)
	}()
	for l.Stats().Waiting == 0 {
		time.Sleep(time.Millisecond)
	}
	large.Release(b)
	small.Release(a)
	if err := <-got; err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("two limits do not panic")
		}
	}()
	bytespool.NewPool(bytespool.WithSizes(64, 128), bytespool.WithLimit(1), bytespool.WithSharedLimit(l))
}

// A reservation is one allocation.
func TestAllocationsOfReservations(t *testing.T) {
	if !keeps {
		t.Skip("not in this build")
	}
	p := bytespool.NewPool(bytespool.WithSizes(64, 4096), bytespool.WithLimit(1<<20))
	if n := testing.AllocsPerRun(1000, func() {
		r, _ := p.Reserve(t.Context(), 4096, 4096)
		var bufs [2][]byte
		for i := range bufs {
			bufs[i], _ = r.New(4096)
		}
		r.Release()
		for _, b := range bufs {
			p.Release(b)
		}
	}); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
