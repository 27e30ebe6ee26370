package buffer

import (
	"runtime"
	"testing"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// round gets a Buffer, writes n bytes to it and releases it. It returns the capacity
// that the Buffer began with.
func round(n int) int {
	b := Get()
	c := b.Cap()
	b.Write(make([]byte, n))
	b.Release()
	return c
}

// onBothEngines runs a test on the portable engine, and on the pinned one where this
// build has it.
func onBothEngines(t *testing.T, f func(t *testing.T, p *engine.Pool)) {
	testenv.Quietly(t)
	t.Run("portable", func(t *testing.T) {
		onOneStripe(func() { f(t, usePool(t, engine.Config{Portable: true})) })
	})
	if rt.Pinned {
		t.Run("pinned", func(t *testing.T) { f(t, usePool(t, engine.Config{})) })
	}
}

func TestUsualIsKept(t *testing.T) {
	onBothEngines(t, func(t *testing.T, p *engine.Pool) {
		for _, n := range []int{64, 100, 1000, 1024, 64 << 10, 4 << 20} {
			for range 20 {
				round(n)
			}
			b := Get()
			if c := b.Cap(); c < n || c > 2*n {
				t.Errorf("%d bytes each time: Cap = %d", n, c)
			}
			array := &b.B[:1][0]
			b.Write(make([]byte, n))
			b.Release()
			for range 10 {
				b := Get()
				b.Write(make([]byte, n))
				if &b.B[0] != array {
					t.Fatalf("%d bytes each time: another array", n)
				}
				b.Release()
			}
		}
	})
}

// Content that was removed counts in its own use, and in no later one.
func TestRemovedContentCountsOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, p *engine.Pool) {
		for range 20 {
			round(1000)
		}
		b := Get()
		b.Write(make([]byte, 1000))
		b.Reset()
		b.Release()
		if c := round(100); c != 1024 {
			t.Errorf("Cap = %d after a use that needed 1,000 bytes, want 1,024", c)
		}
		if c := round(100); c > 128 {
			t.Errorf("Cap = %d after a use that needed 100 bytes, want 128 at most", c)
		}
	})
}

// A use with several owners counts, too.
func TestSharedUseCounts(t *testing.T) {
	onBothEngines(t, func(t *testing.T, p *engine.Pool) {
		for range 20 {
			b := Get()
			b.RefInc()
			b.Write(make([]byte, 1000))
			b.PutAll()
		}
		if c := Get().Cap(); c != 1024 {
			t.Errorf("Cap = %d after uses that needed 1,000 bytes, want 1,024", c)
		}
	})
}

// Where contents vary, no Buffer of the usual class may be idle: Get then prefers a
// smaller one to a new array.
func TestLessThanUsual(t *testing.T) {
	if !rt.Pinned || sanitize.Enabled {
		t.Skip("in this build no Buffer is at hand: only the fast path looks for smaller ones")
	}
	testenv.Quietly(t)
	usePool(t, engine.Config{})
	for range 20 {
		round(200)
	}
	usual := Get()
	if usual.Cap() != 256 {
		t.Fatalf("usually Cap = %d, want 256", usual.Cap())
	}
	defer usual.Release()
	smaller := Make(128)
	array := &smaller.B[:1][0]
	smaller.Release()
	if b := Get(); &b.B[:1][0] != array {
		t.Errorf("Cap = %d, want the idle Buffer of 128 bytes", b.Cap())
	}
}

func TestUnusualGoesBack(t *testing.T) {
	onBothEngines(t, func(t *testing.T, p *engine.Pool) {
		for _, rounds := range []int{1, 2, 3, 20} {
			for range rounds {
				round(8 << 20)
			}
			round(100)
			if c := round(100); c > 128 {
				t.Errorf("after %d times 8 MiB: Cap = %d in the second round", rounds, c)
			}
			if n := idleBytes(p); n > 4<<10 {
				t.Errorf("after %d times 8 MiB: %d bytes idle", rounds, n)
			}
		}
	})
}

// usual returns the usual class.
func (s *source) usual() uint8 { return uint8(s.usage.usual.Load()) }

// It goes up after seven uses of a Buffer in a row that needed more, and not before;
// and down after one that needed a quarter or less, but not half.
func TestUsualFollowsUse(t *testing.T) {
	p := new(engine.Pool)
	p.Init(engine.Config{MinSize: 2, MaxSize: 4 << 20})
	type uses struct {
		times, bytes int
		usual        uint8 // after these
	}
	for name, c := range map[string][]uses{
		"six are not enough":   {{6, 1000, 6}, {1, 1, 6}, {6, 1000, 6}, {1, 1000, 10}},
		"the last of seven":    {{6, 5000, 6}, {1, 1000, 10}},
		"of which one is less": {{1, 1000, 6}, {6, 5000, 13}},
		"down at once":         {{7, 1000, 10}, {1, 257, 10}, {1, 256, 8}},
		"down and up":          {{7, 1000, 10}, {1, 100, 7}, {6, 1000, 7}, {1, 1000, 10}},
		"little is needed":     {{7, 1000, 10}, {1, 0, 6}, {20, 1, 6}},
	} {
		s := newSource(nil, true, p)
		var b Buffer
		use := func(n int) {
			b.B = make([]byte, n)
			if s.usage.steady(&b) {
				b.streak = 0
			} else {
				s.learn(&b)
			}
		}
		for i, step := range c {
			for range step.times {
				use(step.bytes)
			}
			if got := s.usual(); got != step.usual {
				t.Errorf("%s: class %d after step %d, want %d", name, got, i, step.usual)
			}
		}
		before := s.usual()
		for range 20 {
			b.streak = explicit
			use(1 << 20)
			b.streak = explicit
			use(1)
		}
		if s.usual() != before {
			t.Errorf("%s: something was learnt from a stated capacity", name)
		}
	}
}

func TestNowAndThenChangesNothing(t *testing.T) {
	onBothEngines(t, func(t *testing.T, p *engine.Pool) {
		round(100)
		round(100)
		round(100)
		round(100)
		for i := range 200 {
			if c := round(100); c > 128 && i%25 != 1 {
				t.Errorf("Cap = %d", c)
			}
			if i%25 == 0 {
				round(100 << 10)
			}
		}
		if n := idleBytes(p); n > 2*(128<<10)+4<<10 {
			t.Errorf("%d bytes idle", n)
		}
	})
}

// What was written before a Reset counts as use.
func TestResetIsUse(t *testing.T) {
	onBothEngines(t, func(t *testing.T, p *engine.Pool) {
		for _, empty := range []func(*Buffer){
			(*Buffer).Reset,
			func(b *Buffer) { b.Truncate(1) },
			func(b *Buffer) { b.SetString("x") },
			func(b *Buffer) { b.Set(nil) },
		} {
			p.Trim()
			var c int
			for range 20 {
				b := Get()
				c = b.Cap()
				b.Write(make([]byte, 5000))
				empty(b)
				b.Release()
			}
			if c != 8192 {
				t.Errorf("Cap = %d", c)
			}
		}
	})
}

// After large uses, many Buffers in use at once do not each get a large array.
func TestUsualIsNotAllocated(t *testing.T) {
	onBothEngines(t, func(t *testing.T, p *engine.Pool) {
		for range 20 {
			round(1 << 20)
		}
		var total int
		for range 1000 {
			b := Get()
			total += b.Cap()
		}
		if total > 1<<20+1000*64 {
			t.Errorf("1,000 Buffers begin with %d bytes", total)
		}
	})
}

// The mixed traffic that makes a calibrating pool allocate.
func TestMixedTraffic(t *testing.T) {
	testenv.Quietly(t)
	for _, inFlight := range []int{1, 100} {
		onBothEngines(t, func(t *testing.T, p *engine.Pool) {
			small, large := make([]byte, 100), make([]byte, 100<<10)
			var held [100]*Buffer
			inUse := 0 // bytes of content at most
			rounds := func() {
				for i := range 1000 {
					n := i % inFlight
					if held[n] != nil {
						held[n].Release()
					}
					held[n] = Get()
					if i%25 == 0 {
						held[n].Write(large)
					} else {
						held[n].Write(small)
					}
				}
				used := 0
				for _, b := range held[:inFlight] {
					used += b.Cap()
				}
				inUse = max(inUse, used, 128<<10)
			}
			rounds()
			rounds()
			if n := testing.AllocsPerRun(5, rounds); n > 0 && !sanitize.Enabled {
				t.Errorf("%d in flight: %v allocations in 1,000 rounds", inFlight, n)
			}
			for i := range held[:inFlight] {
				held[i].Release()
				held[i] = nil
			}
			if n := idleBytes(p); n > 2*int64(inUse)+4<<10 {
				t.Errorf("%d in flight: %d bytes idle, of %d that were in use", inFlight, n, inUse)
			}
		})
	}
}

// Reporting a release to the race detector allocates.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	testenv.Quietly(t)
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		text := make([]byte, 1000)
		var pool Pool
		for name, f := range map[string]func(){
			"Pool":   func() { b := pool.Get(); b.Write(text); pool.Put(b) },
			"Get":    func() { b := Get(); b.Write(text); b.Release() },
			"Make":   func() { b := Make(1000); b.Write(text); b.Release() },
			"string": func() { NewString("hello").Release() },
			"two":    func() { b, c := Get(), Get(); b.Write(text); c.Release(); b.Release() },
			"grow": func() {
				b := Make(2)
				for range 64 {
					b.Write(text[:64])
				}
				b.Release()
			},
			"share":  func() { b := NewBytes(text); s := b.Share(); b.Release(); s.Release() },
			"detach": func() { b := NewBytes(text); p.Release(b.Detach()); b.Release() },
			"on stack": func() {
				var local [100]byte
				b := Get()
				b.Write(local[:])
				b.Append(local[:])
				b.Set(local[:])
				b.CopyTo(local[:])
				b.Release()
			},
		} {
			f()
			f()
			if n := testing.AllocsPerRun(100, f); n > 0 && !sanitize.Enabled {
				t.Errorf("%s: %v allocations", name, n)
			}
		}
	})
	runtime.GC()
}

// Where there are steps, the usual class is one of them.
func TestUsualStep(t *testing.T) {
	testenv.Quietly(t)
	usePool(t, engine.Config{Options: stats.Options{Steps: 4}})
	for _, n := range []int{40 << 10, 300, 900, 40, 200 << 10} {
		for range 20 {
			round(n)
		}
		if c := round(n); c < n || n > 256 && c > n+n/4 {
			t.Errorf("%d bytes each time: Cap = %d", n, c)
		}
	}
}
