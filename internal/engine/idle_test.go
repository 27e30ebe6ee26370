package engine

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// Collections alone empty a pool, even where a budget leaves nothing but depots.
func TestCollectionsAge(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		c.Budget = 1 << 17
		small := newPool(c)
		small.Release(make([]byte, 1<<16))
		if idle(small) == 0 {
			t.Error("there is nothing to age")
		}
		testenv.Eventually(t, "the depot is empty after collections", func() bool {
			runtime.GC()
			return idle(small) == 0
		})
		c.Budget = 0
		p := newPool(c)
		for range 3 { // an empty pool is not looked at, and is again
			keep(p, 300, 1<<16)
			testenv.Eventually(t, "the pool is empty after collections", func() bool {
				runtime.GC()
				return idle(p) == 0 && !p.keeps.Load()
			})
		}
	})
}

// They do so while the number of processors changes: what the collector has found unreachable
// must not wait at a processor that was taken away.
func TestCollectionsAgeWhileProcessorsChange(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	pools := make([]*Pool, 200)
	for i := range pools {
		pools[i] = newPool(Config{MinSize: 64, MaxSize: 1 << 20})
	}
	var garbage [4][]byte
	for range testenv.Rounds(100) {
		for _, p := range pools {
			p.Release(make([]byte, 1024))
		}
		runtime.GOMAXPROCS(len(garbage))
		var wg sync.WaitGroup
		for i := range garbage {
			wg.Go(func() {
				for range 300 { // so that a collection begins
					garbage[i] = make([]byte, 16<<10)
				}
			})
		}
		wg.Wait()
		runtime.GOMAXPROCS(1)
		testenv.Eventually(t, "all pools are empty after collections", func() bool {
			runtime.GC()
			return !slices.ContainsFunc(pools, func(p *Pool) bool { return idle(p) > 0 })
		})
	}
}

// The same holds for large slices, of all sizes together.
func TestLargeForeignSlicesDoNotPileUp(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
		c.MinSize, c.MaxSize = 2, 4<<20
		p := newPool(c)
		quietly(t, func() {
			for range testenv.Rounds(3) {
				var wg sync.WaitGroup
				for range 2 {
					wg.Go(func() {
						for i := range 60 {
							p.Release(rt.DirtyBytes(128 << 10 << (i % 6)))
							p.Release(rt.DirtyBytes(128<<10<<(i%5) + 5000*i))
						}
					})
				}
				wg.Wait()
				if n := idle(p); n > 64<<20+4*excessBytes { // each stripe has one of each size, and odd ones count as the next class
					t.Errorf("%d bytes are idle, of which none was taken", n)
				}
				ageNow(p)
			}
		})
	})
}

// What has grown is kept where it was in use at once, as much as excessBytes, whatever grew before.
func TestGrownSlicesAreKept(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	onAllKinds(t, func(t *testing.T, c Config) {
		const n, size, grown = excessBytes / (32 << 10), 4 << 10, 32 << 10
		p := newPool(c)
		quietly(t, func() {
			for round := range 3 {
				var held [n][]byte
				for i := range held {
					held[i] = growTo(p, size, grown, true)
				}
				ageNow(p)
				for _, b := range held {
					p.Release(b)
				}
				if idle(p) < n*grown {
					t.Errorf("round %d: %d slices grew to %d bytes, and %d of them are kept", round, n, grown, idle(p)/grown)
				}
			}
		})
	})
}

// A burst is kept when it ends, whether it was in use at collections or not, in
// slices or in objects, and serves the next one.
func TestBurstComesAgain(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		for collections := range 5 {
			p := newPool(c)
			o := carriers(p)
			quietly(t, func() {
				const burst = 2000
				var slices [burst][]byte
				var objects [burst]*carrier
				before := uint64(0)
				for round := range 4 {
					for i := range burst {
						slices[i] = p.New(1024)
						objects[i] = getCarrier(o, 4096)
					}
					for range collections {
						ageNow(p)
					}
					for i := range burst {
						p.Release(slices[i])
						o.Put(objects[i], 4096)
					}
					now := misses(p.Stats())
					if n := now - before; round > 0 && n > 0 {
						t.Errorf("%d collections while in use: %d misses in round %d", collections, n, round)
					}
					before = now
				}
			})
		}
	})
}

// What was used within retain survives collections. The second of two collections that
// are as far apart, both after the last use, drops it.
func TestRetain(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		const d = 10 * time.Second
		c.Retain = d
		for _, size := range []int{64, 1 << 20} {
			for _, n := range []int{1, 200} {
				quietly(t, func() {
					p := newPool(c)
					now := time.Hour
					for range 20 {
						before := misses(p.Stats())
						keep(p, n, size)
						if m := misses(p.Stats()) - before; m > 0 && now > time.Hour {
							t.Errorf("%d of %d slices of %d bytes were lost", m, n, size)
						}
						for range 3 {
							now += d / 4
							ageAt(p, now)
						}
					}
					if last := now; idle(p) != int64(n*size) {
						t.Errorf("%d bytes idle at %v, want %d", idle(p), last, n*size)
					}
					keep(p, n, size)
					ageAt(p, now)
					ageAt(p, now+d-1)
					if idle(p) != int64(n*size) {
						t.Errorf("%d bytes idle within the time, want %d", idle(p), n*size)
					}
					if ageAt(p, now+d) || idle(p) != 0 {
						t.Errorf("%d bytes idle after it", idle(p))
					}
				})
			}
		}
	})
}

// What is not used is dropped while the rest of its class is in use.
func TestRetainDropsWhatIsNotUsed(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		const d = 10 * time.Second
		c.Retain = d
		quietly(t, func() {
			p := newPool(c)
			keep(p, 1000, 1024)
			for now := time.Hour; now < time.Hour+3*d; now += d / 5 {
				keep(p, 10, 1024)
				ageAt(p, now)
			}
			if n := idle(p) / 1024; n < 10 || n > 10+63 {
				t.Errorf("%d slices are idle, where 10 are used", n)
			}
		})
	})
}

func TestTrim(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		p := newPool(c)
		quietly(t, func() {
			const size = 1 << 20
			keep(p, 75, size)
			ageNow(p) // so that there are victims, too
			keep(p, 150, size)
			want := int64(150 * size)
			if n := idle(p); n != want {
				t.Errorf("%d bytes idle, want %d", n, want)
			}
			if n := p.Trim(); n != want {
				t.Errorf("Trim freed %d bytes, want %d", n, want)
			}
			if n := idle(p); n != 0 {
				t.Errorf("%d bytes idle after Trim", n)
			}
			for _, size := range []int{100, 1000, 1 << 20} {
				before := p.Stats()
				p.New(size)
				if after := p.Stats(); misses(after) != misses(before)+1 {
					t.Errorf("%d bytes came from a pool that was trimmed", size)
				}
			}
			if n := p.Trim(); n != 0 {
				t.Errorf("a second Trim freed %d bytes", n)
			}
			if b := p.New(100); len(b) != 100 || !p.Release(b) {
				t.Error("the pool does not work after Trim")
			}
		})
	})
}

// What is taken back between two collections is looked at by the next one, however it is
// taken: age may have looked while it was on its way, and found nothing.
func TestTakenBackIsLookedAt(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		for name, w := range map[string]struct{ keep, take func(p *Pool) }{
			"a slice":         {func(p *Pool) { keep(p, 10, 64) }, func(p *Pool) { p.New(64) }},
			"a loan":          {func(p *Pool) { keep(p, 10, 4096); p.filed(4096).lends() }, func(p *Pool) { p.New(64) }},
			"an object":       {keepCarriers, func(p *Pool) { take(carriers(p), 64) }},
			"an object, lent": {keepCarriers, func(p *Pool) { carriers(p).Take(p.Class(32), 32, 32) }},
		} {
			quietly(t, func() {
				p := newPool(c)
				w.keep(p)
				if !ageNow(p) {
					t.Fatalf("%s: nothing is kept", name)
				}
				before := idle(p)
				p.keeps.Store(false) // as age does that finds nothing
				w.take(p)
				n := idle(p)
				if c.Portable && n == before {
					return // a loan may meet another stripe, as calls for it are deeper down the stack
				}
				if n == 0 || n == before || !p.keeps.Load() {
					t.Errorf("%s: of %d bytes %d are idle, and a collection looks at them: %v", name, before, n, p.keeps.Load())
				}
			})
		}
	})
}

// keepCarriers makes p keep objects with slices of 64 bytes.
func keepCarriers(p *Pool) {
	for range 10 {
		carriers(p).Put(&carrier{b: make([]byte, 64)}, 64)
	}
}

// ageNow does what follows a collection, and reports whether p keeps something.
func ageNow(p *Pool) (left bool) { return ageAt(p, time.Since(started)) }

// ageAt is ageNow at another time, where pools may hold as much as they like.
func ageAt(p *Pool, now time.Duration) (left bool) {
	room := int64(math.MaxInt64)
	return p.age(now, &room)
}

// keep makes p keep n slices that it handed out.
func keep(p *Pool, n, size int) {
	bs := make([][]byte, n)
	for i := range bs {
		bs[i] = p.New(size)
	}
	for _, b := range bs {
		p.Release(b)
	}
}

func misses(s Stats) (n uint64) {
	for _, c := range s.Classes {
		n += c.Misses
	}
	return n
}

// Pools that nobody refers to are collected with all that they keep.
func TestPoolIsCollected(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		const pools = 1000
		var ws []weak.Pointer[byte]
		var wp []weak.Pointer[Pool]
		for range pools {
			p := newPool(c)
			b := make([]byte, 4096)
			ws = append(ws, weak.Make(&b[0]))
			wp = append(wp, weak.Make(p))
			p.Release(b)
			p.Release(p.New(64))
		}
		testenv.Eventually(t, "all pools and their memory are collected", func() bool {
			runtime.GC()
			for i := range ws {
				if ws[i].Value() != nil || wp[i].Value() != nil {
					return false
				}
			}
			return true
		})
	})
}

// Used is what is in use, and what is idle and was used since the last collection.
func TestUsedBytes(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.Retain = time.Hour
		quietly(t, func() {
			const size = 512 << 10
			p := newPool(c)
			want := func(slices int64, when string) {
				t.Helper()
				const stack = 1 // what was idle on a processor's stack comes back with what is put there
				if n := p.usedBytes(); n < slices*size || n > (slices+stack)*size {
					t.Errorf("%d bytes are used %s, want %d slices of %d", n, when, slices, size)
				}
			}
			var bs [100][]byte
			for i := range bs {
				bs[i] = p.New(size)
			}
			want(100, "at once")
			for _, b := range bs[10:] {
				p.Release(b)
			}
			want(100, "when most are released")
			ageAt(p, time.Hour)
			want(10, "after a collection")
			for _, b := range bs[:10] {
				p.Release(b)
			}
			want(10, "when these come back")
			ageAt(p, time.Hour)
			want(0, "after the next")
		})
	})
}

// What is used in all pools that keep something leaves less room, which is known after a
// collection.
func TestUsedIsNoted(t *testing.T) {
	quietly(t, func() {
		const size = 4 << 20
		p, q := newPool(Config{}), newPool(Config{})
		var bs [12][]byte
		for i := range bs {
			bs[i] = p.New(size)
		}
		p.Release(bs[0])
		q.Release(q.New(size))
		agePools()
		if m := LastPressure(); m.Used < 11*size || m.Retain >= 16<<20 && m.Live < 128<<20 {
			t.Errorf("used %d, retain %d, live %d; 11 slices of %d are in use, and two were", m.Used, m.Retain, m.Live, size)
		}
		for _, b := range bs[1:] {
			p.Release(b)
		}
	})
}
