package buffer

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/testenv"
)

// somewhere returns Buffers in all states in which they may be in use.
func somewhere() map[string]*Buffer {
	grown := Make(8)
	grown.Write(make([]byte, 100))
	return map[string]*Buffer{"got": Get(), "made": Make(100), "grown": grown, "foreign": NewBuffer(make([]byte, 128))}
}

// Whatever is called through a stale pointer, the Buffer stays in the pool, is
// handed out once, and is then as good as any.
func TestStaleCalls(t *testing.T) {
	testenv.Quietly(t)
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		for name, b := range somewhere() {
			if !b.release() {
				t.Fatalf("%s: not released", name)
			}
			for range 3 {
				if b.release() {
					t.Errorf("%s: released twice", name)
				}
				b.RefInc()
				if n := b.refs.Value(); n >= 0 {
					t.Errorf("%s: %d references in the pool", name, n)
				}
			}
		}
		seen := map[*Buffer]bool{}
		arrays := map[*byte]bool{}
		for range 100 {
			b := Get()
			if a := &b.B[:1][0]; seen[b] || arrays[a] || b.refs.Value() != 0 || b.Len() != 0 {
				t.Fatal("handed out twice, or not in order")
			} else {
				seen[b], arrays[a] = true, true
			}
		}
		for b := range seen {
			if !b.release() {
				t.Fatal("not released")
			}
		}
	})
}

// If many goroutines release the only reference, one succeeds, and the others are
// reported.
func TestOneReferenceManyReleases(t *testing.T) {
	found := checking(t, check.Config{Mode: check.Full})
	for range 500 {
		b := Get()
		var recycled atomic.Int64
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if b.release() {
					recycled.Add(1)
				}
			})
		}
		wg.Wait()
		if n := recycled.Load(); n != 1 {
			t.Fatalf("recycled %d times", n)
		}
	}
	// Reported are the first of a cause, the tenth, and so on. A release that comes while
	// the right one is not yet recorded has no stack of that one, and is a cause of its own.
	list := found()
	most := 0
	for _, f := range list {
		most = max(most, f.Count)
		if f.Code != finding.DoubleRelease {
			t.Errorf("found %+v, want double releases only", f)
		}
	}
	if most != 1000 {
		t.Errorf("found %+v, want double releases up to the 1,000th", list)
	}
}
