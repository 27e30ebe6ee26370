package buffer

import (
	"bytes"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/octet-go/octet/bytespool/stats"
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

// Exactly one of many owners puts the Buffer into the pool: the last one.
func TestManyOwners(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		const owners = 8
		for range 200 {
			for name, b := range somewhere() {
				if name == "foreign" {
					b.Release()
					continue
				}
				b.setString("shared")
				var recycled, left atomic.Int64
				left.Store(owners)
				var wg sync.WaitGroup
				for range owners {
					b.RefInc()
					wg.Go(func() {
						b.RefInc()
						for range 3 {
							if b.String() != "shared" {
								t.Error("content changed")
							}
							runtime.Gosched()
						}
						if b.release() {
							t.Error("recycled while there are owners")
						}
						left.Add(-1)
						if b.release() {
							recycled.Add(1)
							if n := left.Load(); n != 0 {
								t.Errorf("%d owners left", n)
							}
						}
					})
				}
				if b.release() {
					recycled.Add(1)
				}
				wg.Wait()
				if n := recycled.Load(); n != 1 {
					t.Errorf("%s: recycled %d times", name, n)
				}
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

// Owners release while one of them writes, and the Buffer grows. (If a release looked
// at what growing changes, the race detector would report it.)
func TestReleaseWhileGrowing(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		for range manyRounds(500) {
			b := newString("hello")
			var wg sync.WaitGroup
			for range 4 {
				r := b.reader()
				wg.Go(func() {
					if c, _ := r.ReadByte(); c != 'h' {
						t.Errorf("read %q", c)
					}
					b.putReader(r)
				})
			}
			for range 10 {
				b.Write(make([]byte, 500))
				runtime.Gosched()
			}
			b.Release()
			wg.Wait()
		}
		if n := inUse(p); n != 0 {
			t.Errorf("%d arrays leaked", n)
		}
	})
}

// What Buffers keep counts in the pool's budget.
func TestBudget(t *testing.T) {
	const budget = 1 << 20
	for _, portable := range []bool{false, true} {
		p := usePool(t, engine.Config{Options: stats.Options{Budget: budget}, Portable: portable})
		var held []*Buffer
		for range 1000 {
			held = append(held, Make(16<<10))
		}
		refused := 0
		for _, b := range held {
			if !b.release() {
				refused++
			}
		}
		if n := idleBytes(p); n > budget || n < budget/10 {
			t.Errorf("%d bytes idle, budget %d", n, budget)
		}
		if refused < 1000-budget/(16<<10) {
			t.Errorf("%d of 1,000 arrays were refused", refused)
		}
		if n := inUse(p); n != 0 {
			t.Errorf("%d arrays in use", n)
		}
	}
}

// While readers are in use, no array that they may read goes to the pool, whatever
// happens to the Buffer; and after that all do, once.
func TestArraysStayForReaders(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		for round := range 10 {
			b := Get()
			var readers []*bytes.Reader
			var want []string
			for i := range 30 {
				switch i % 6 {
				case 0, 1:
					b.Write(bytes.Repeat([]byte{byte('a' + i)}, 50))
				case 2:
					b.Next(20)
				case 3:
					b.Grow(1000 << (i / 6))
				case 4:
					b.ReadFrom(bytes.NewReader(bytes.Repeat([]byte{byte('a' + i)}, 700)))
				case 5:
					if round%2 == 0 && i > 20 {
						b.Detach()
					}
				}
				readers = append(readers, b.reader())
				want = append(want, b.String())
				// Whoever gets an array that went to the pool writes on it.
				for size := 64; size <= 1<<16; size *= 2 {
					q := p.New(size)
					for j := range q {
						q[j] = '!'
					}
					p.Release(q)
				}
			}
			for i, r := range readers {
				var w bytes.Buffer
				r.WriteTo(&w)
				if w.String() != want[i] {
					t.Fatalf("reader %d sees %q, want %q", i, &w, want[i])
				}
				b.putReader(r)
			}
			b.Release()
		}
	})
}

// A reader in use keeps the array that it reads, and none of those that the Buffer has
// outgrown since.
func TestReaderHoldsOneArray(t *testing.T) {
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		b := newBytes(make([]byte, 1<<10))
		r := b.reader()
		reads := weak.Make(&b.B[0])
		var outgrown []weak.Pointer[byte]
		for size := 2 << 10; size <= 1<<20; size *= 2 {
			b.Write(make([]byte, size))
			outgrown = append(outgrown, weak.Make(&b.B[0]))
			b.Next(size)
		}
		outgrown = outgrown[:len(outgrown)-1] // b has it
		testenv.Eventually(t, "arrays that nobody looks at are collected", func() bool {
			runtime.GC()
			return !slices.ContainsFunc(outgrown, func(w weak.Pointer[byte]) bool { return w.Value() != nil })
		})
		if reads.Value() == nil {
			t.Error("the array was collected while a reader was out")
		}
		b.putReader(r)
		b.Release()
		if n := inUse(p); n != 0 {
			t.Errorf("%d arrays in use", n)
		}
	})
}
