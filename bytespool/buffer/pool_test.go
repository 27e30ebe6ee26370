package buffer

import (
	"testing"

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
			small.Write(make([]byte, 100))
			large.Write(make([]byte, 100<<10))
			small.Release()
			large.Release()
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
			request.WriteByte(1)
			sent.Write(content)
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
		if second.Get() != b || b.home != second.source() {
			t.Error("the Buffer is another, or that of the first Pool still")
		}
	})
}
