package buffer

import (
	"runtime"
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// round gets a Buffer, has n bytes in it and releases it. It returns the
// capacity that the Buffer began with.
func round(n int) int {
	b := Get()
	c := b.Cap()
	b.Write(make([]byte, n))
	b.Release()
	return c
}

// onSeats runs a test on the engines that have seats.
func onSeats(t *testing.T, f func(t *testing.T, p *engine.Pool)) {
	quietly(t)
	t.Run("portable", func(t *testing.T) {
		onOneStripe(func() { f(t, usePool(t, engine.Config{Portable: true})) })
	})
	if rt.Pinned {
		t.Run("pinned", func(t *testing.T) { f(t, usePool(t, engine.Config{})) })
	}
}

func TestUsualIsKept(t *testing.T) {
	onSeats(t, func(t *testing.T, p *engine.Pool) {
		for _, n := range []int{64, 100, 1000, 1024, 64 << 10, 8 << 20} { // the last is larger than the pool's largest
			for range 5 {
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

// Above the pool's largest size, too, what is kept shows.
func TestWhatIsKeptShows(t *testing.T) {
	quietly(t)
	before := from.Load()
	defer from.Store(before)
	pools := bytespool.NewCapacityPools(2, 1<<20)
	setSource(pools, true)
	onOneStripe(func() {
		for range 5 {
			round(8 << 20)
		}
	})
	idle := pools.Stats().IdleBytes
	if freed := pools.Trim(); idle < 8<<20 || freed != idle {
		t.Errorf("%d bytes idle, Trim freed %d", idle, freed)
	}
	if n := pools.Stats().IdleBytes; n != 0 {
		t.Errorf("%d bytes idle after Trim", n)
	}
}

func TestUnusualGoesBack(t *testing.T) {
	onSeats(t, func(t *testing.T, p *engine.Pool) {
		for _, rounds := range []int{1, 2, 3, 10} {
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

// Nor does one stay of a Buffer that had no seat.
func TestUnusualIsNotKeptElsewhere(t *testing.T) {
	onSeats(t, func(t *testing.T, p *engine.Pool) {
		seated := Get()
		for range 3 {
			b := Get()
			b.Write(make([]byte, 8<<20))
			if b.Release() {
				t.Error("8 MiB went to the pool")
			}
			if n := idleBytes(p); n > 4<<10 {
				t.Errorf("%d bytes idle", n)
			}
		}
		seated.Release()
	})
}

// After three uses in a row that needed more, and not before; and after one that
// needed a quarter or less, but not half.
func TestUsualFollowsUse(t *testing.T) {
	onSeats(t, func(t *testing.T, p *engine.Pool) {
		for i, r := range []struct{ use, begins int }{
			{1000, 64}, {1000, 64}, {64, 64}, // two are not enough,
			{1000, 64}, {1000, 64}, {64, 64}, // and begin anew
			{5000, 64}, {1000, 64}, {1000, 64}, // three are, for the least of them:
			{257, 1024}, {257, 1024}, {256, 1024}, {256, 64}, // a quarter of that is little
		} {
			if c := round(r.use); c != r.begins {
				t.Errorf("round %d: Cap = %d, want %d", i, c, r.begins)
			}
		}
	})
}

func TestNowAndThenChangesNothing(t *testing.T) {
	onSeats(t, func(t *testing.T, p *engine.Pool) {
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
	onSeats(t, func(t *testing.T, p *engine.Pool) {
		for _, empty := range []func(*Buffer){
			(*Buffer).Reset,
			func(b *Buffer) { b.Truncate(1) },
			func(b *Buffer) { b.SetString("x") },
			func(b *Buffer) { b.Set(nil) },
		} {
			p.Trim()
			var c int
			for range 6 {
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

// Many who begin after large uses do not each get something large.
func TestUsualIsNotAllocated(t *testing.T) {
	onSeats(t, func(t *testing.T, p *engine.Pool) {
		for range 10 {
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

func TestDefaultBufferSize(t *testing.T) {
	defer func(n int) { DefaultBufferSize = n }(DefaultBufferSize)
	onSeats(t, func(t *testing.T, p *engine.Pool) {
		for _, n := range []int{64, 5000, 8 << 20, 1, 0, -1, 64} {
			DefaultBufferSize = n
			for range 3 {
				round(1)
				if b := Get(); b.Cap() < n {
					t.Errorf("DefaultBufferSize %d: Cap = %d", n, b.Cap())
				} else {
					b.Release()
				}
			}
		}
		if b := Get(); b.Cap() != 64 {
			t.Errorf("Cap = %d", b.Cap())
		}
		DefaultBufferSize = maxSize
		if DefaultBufferSize++; DefaultBufferSize > 0 {
			mustPanic(t, ErrTooLarge, func() { Get() })
		}
	})
}

// The mixed traffic that makes a calibrating pool allocate.
func TestMixedTraffic(t *testing.T) {
	for _, inFlight := range []int{1, 100} {
		onSeats(t, func(t *testing.T, p *engine.Pool) {
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

// To tell the race detector of a release takes allocations.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	quietly(t)
	onAllEngines(t, func(t *testing.T, p *engine.Pool) {
		text := make([]byte, 1000)
		for name, f := range map[string]func(){
			"Get":    func() { b := Get(); b.Write(text); b.Release() },
			"Make":   func() { b := Make(1000); b.Write(text); b.Release() },
			"New":    func() { New(1000).Release() },
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
