package buffer

import (
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

// What is small for one Pool, and large for another, is learnt for each.
func TestPoolLearnsAlone(t *testing.T) {
	testenv.Quietly(t)
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		if p.Clears() != engine.ClearNever {
			return // its idle Buffers have no arrays
		}
		var requests, responses Pool
		round := func() (request, response int) {
			small, large := requests.Get(), responses.Get()
			request, response = small.Cap(), large.Cap()
			small.Append(make([]byte, 100))
			large.Append(make([]byte, 100<<10))
			requests.Put(small)
			responses.Put(large)
			return request, response
		}
		for range 20 {
			round()
		}
		before := misses(p)
		for range 20 {
			if request, response := round(); request > 128 || response < 100<<10 {
				t.Fatalf("room for %d and %d bytes, want about 100 and 102400", request, response)
			}
		}
		if n := misses(p) - before; n != 0 {
			t.Errorf("%d arrays were allocated", n)
		}
	})
}

// A program may hold on to several Buffers at a time, and replace their arrays.
func TestPoolLearnsFromNewBuffers(t *testing.T) {
	testenv.Quietly(t)
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		if p.Clears() != engine.ClearNever {
			return // its idle Buffers have no arrays
		}
		var requests, responses Pool
		content := make([]byte, 1<<20)
		round := func() (large bool) {
			request, sent := requests.Get(), responses.Get()
			large = sent.Cap() >= len(content)
			request.AppendByte(1)
			sent.Append(content)
			request.Release()
			received := responses.Get()
			received.B = append([]byte(nil), content...)
			sent.Release()
			received.Release()
			return large
		}
		for range 20 {
			round()
		}
		if !round() {
			t.Error("after 20 rounds of large Buffers, Get returns a small one")
		}
	})
}

// misses returns how many arrays p has allocated.
func misses(p *engine.Pool) (n uint64) {
	for _, c := range p.Stats().Classes {
		n += c.Misses
	}
	return n
}

// A Buffer that another Pool left idle teaches the Pool that takes it.
func TestPoolAdoptsBuffers(t *testing.T) {
	testenv.Quietly(t)
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		var first, second Pool
		b := first.Get()
		b.Release()
		if second.Get() != b || b.home != second.from.Load() {
			t.Error("the Buffer is another, or that of the first Pool still")
		}
	})
}

func TestZeroPoolFollowsPackage(t *testing.T) {
	defer SetPools(nil)
	var pool Pool
	for _, name := range []string{"first", "second"} {
		p := bytespool.NewCapacityPools(64, 1024, bytespool.WithName(name))
		SetPools(p)
		b := pool.Make(1000)
		if n := p.Stats().InUse; n != 1 {
			t.Errorf("%s: %d in use", name, n)
		}
		pool.Put(b)
	}
}

func TestPoolOfItsOwn(t *testing.T) {
	p := bytespool.NewCapacityPools(64, 1024, bytespool.WithLimit(2048))
	pool := NewPool(p)
	a, err := pool.TryGet(1000)
	if err != nil {
		t.Fatal(err)
	}
	b := pool.Get()
	if _, err := pool.TryGet(1000); !errors.Is(err, bytespool.ErrLimit) {
		t.Errorf("at the limit: %v", err)
	}
	if s := p.Stats(); s.InUse != 2 || s.Limit.InUse != 1024+64 {
		t.Errorf("%d in use, %d bytes", s.InUse, s.Limit.InUse)
	}
	a.Release()
	b.Release()
	if s := p.Stats(); s.InUse != 0 || s.Limit.InUse != 0 {
		t.Errorf("%d in use, %d bytes", s.InUse, s.Limit.InUse)
	}
}

// Goroutines that use a zero Pool first at the same time, while the package's pools
// change, get Buffers that are theirs alone.
func TestPoolConcurrently(t *testing.T) {
	defer SetPools(nil)
	for range 100 {
		var pool Pool
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				for j := range 50 {
					b := pool.Get()
					b.AppendByte(byte(i))
					runtime.Gosched()
					if len(b.B) != 1 || b.B[0] != byte(i) {
						t.Errorf("content %v, want [%d]", b.B, i)
					}
					pool.Put(b)
					if i == 0 && j%20 == 0 {
						SetPools(bytespool.NewCapacityPools(64, 1024))
					}
				}
			})
		}
		wg.Wait()
	}
}
