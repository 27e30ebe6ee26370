package engine

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

func TestMemoryRetain(t *testing.T) {
	const mib = 1 << 20
	for name, c := range map[string]struct {
		m    stats.Pressure
		want int64
	}{
		"no limit, nothing live":    {stats.Pressure{Limit: math.MaxInt64}, 16 * mib},
		"no limit":                  {stats.Pressure{Live: 100 * mib, Limit: math.MaxInt64}, 16 * mib},
		"no limit, a large heap":    {stats.Pressure{Live: 1000 * mib, Limit: math.MaxInt64}, 100 * mib},
		"a burst is in use":         {stats.Pressure{Live: 40 * mib, Used: 20 * mib, Limit: math.MaxInt64}, 16 * mib},
		"more is in use":            {stats.Pressure{Live: 40 * mib, Used: 20*mib + 1, Limit: math.MaxInt64}, 4 * mib},
		"much is in use":            {stats.Pressure{Live: 40 * mib, Used: 60 * mib, Limit: math.MaxInt64}, 4 * mib},
		"a limit far away":          {stats.Pressure{Live: 1000 * mib, Limit: 10_000 * mib}, 100 * mib},
		"little beyond twice live":  {stats.Pressure{Live: 490 * mib, Limit: 1000 * mib}, 20 * mib},
		"half is live":              {stats.Pressure{Live: 500 * mib, Limit: 1000 * mib}, 0},
		"memory beside the heap":    {stats.Pressure{Live: 400 * mib, NotHeap: 190 * mib, Limit: 1000 * mib}, 10 * mib},
		"the limit is exceeded":     {stats.Pressure{Live: 2000 * mib, Limit: 1000 * mib}, 0},
		"no room for a heap at all": {stats.Pressure{NotHeap: 200 * mib, Limit: 100 * mib}, 0},
		"the limit is 0":            {stats.Pressure{Live: 100 * mib}, 0},
	} {
		if got := retain(c.m); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// Of what was used the most counts, until there have been four collections since.
func TestLately(t *testing.T) {
	var l lately
	for i, c := range []struct{ used, most int64 }{{3, 3}, {1, 3}, {2, 3}, {0, 3}, {0, 2}, {7, 7}, {0, 7}, {0, 7}, {0, 7}, {0, 0}} {
		if n := l.add(c.used); n != c.most {
			t.Errorf("after collection %d at most %d, want %d", i, n, c.most)
		}
	}
}

// All pools together hold no more than they may for retention; the rest goes with the next
// collection, unless it is used.
func TestRetentionHasOneRoom(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.Retain = time.Hour
		quietly(t, func() {
			var pools [4]*Pool
			var w [4][]weak.Pointer[byte]
			for i := range pools {
				pools[i] = newPool(c)
				for range 20 {
					b := make([]byte, 64<<10)
					w[i] = append(w[i], weak.Make(&b[0]))
					pools[i].Release(b)
				}
			}
			room := int64(2 * 20 * 64 << 10)
			for _, p := range pools {
				p.age(time.Hour, &room)
			}
			runtime.GC()
			there := 0
			for _, ws := range w {
				for _, w := range ws {
					if w.Value() != nil {
						there++
					}
				}
			}
			if there > 2*20 || there < 20 {
				t.Errorf("%d slices outlive a collection, where 40 may be held", there)
			}
			if room < 0 || room > 20*64<<10 {
				t.Errorf("%d bytes of the room are left", room)
			}
			for _, p := range pools {
				for range 20 {
					if b := p.New(64 << 10); len(b) != 64<<10 {
						t.Fatal(len(b))
					}
				}
			}
		})
	})
}

// What a pool drops counts for one reason. What age drops is not counted: it follows
// from the other numbers.
func TestDroppedByReason(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		quietly(t, func() {
			p := newPool(c)
			check := func(want stats.Dropped) {
				t.Helper()
				if s := p.Stats().Classes[0]; s.Dropped != want || s.Idle != 0 {
					t.Errorf("%+v, want %+v", s, want)
				}
			}
			for range 3 {
				p.New(64)
				p.Abandon(64)
			}
			check(stats.Dropped{Abandoned: 3})
			keep(p, 5, 64)
			ageNow(p)
			ageNow(p)
			check(stats.Dropped{Abandoned: 3, Aged: 5})
			keep(p, 7, 64)
			p.Trim()
			check(stats.Dropped{Abandoned: 3, Aged: 5, Trimmed: 7})
		})
	})
}

// A program whose live heap comes near its memory limit finds what it uses all the time,
// as it would in a sync.Pool, in spite of many collections.
func TestPoolsHitNearTheLimit(t *testing.T) {
	testenv.Long(t)
	onBothEngines(t, func(t *testing.T, c Config) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		type node [8]*int64
		live := make([]*node, 1_000_000)
		for i := range live {
			live[i] = new(node)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(m.HeapAlloc) + 24<<20))
		p := newPool(c)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				var held [9][]byte
				var garbage []byte
				for i := range 5000 {
					p.Release(held[i%9])
					held[i%9] = p.New(4096 << (i * 7919 / 9 % 7))
					garbage = make([]byte, 4<<10)
				}
				runtime.KeepAlive(garbage)
			})
		}
		wg.Wait()
		gets := p.requests()
		if n := misses(p.Stats()); n*10 > gets {
			t.Errorf("%d of %d requests missed", n, gets)
		}
		runtime.KeepAlive(live)
	})
}

// The runtime has the metrics that the rule looks at.
func TestReadMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	live := make([]byte, 10<<20)
	runtime.GC()
	m := readMemory(0)
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	if m.Limit != 1<<40 || m.Live < 10<<20 || m.Live > int64(s.HeapSys) || m.NotHeap < 1<<16 || m.NotHeap > int64(s.Sys) {
		t.Errorf("%+v; %d in heap, %d in all", m, s.HeapSys, s.Sys)
	}
	runtime.KeepAlive(live)
}

// A memory limit that leaves no room beyond twice the live heap leaves nothing to retention, and one
// that is far away changes nothing.
func TestMemoryLimit(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("a sanitizer's own memory counts")
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		c.Retain = time.Hour
		const n, size = 12, 1 << 20
		quietly(t, func() {
			defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
			for range len(usedLately.used) { // what other tests used does not count
				agePools()
			}
			m := readMemory(0)
			for limit, want := range map[int64]int64{math.MaxInt64: n * size, 1 << 40: n * size, m.NotHeap + m.Live*3/2: 0} {
				debug.SetMemoryLimit(limit)
				p := newPool(c)
				keep(p, n, size)
				agePools()
				agePools()
				if got := idle(p); got != want || LastPressure().Limit != limit {
					t.Errorf("%d bytes are idle with %+v, want %d", got, LastPressure(), want)
				}
				p.Trim()
			}
		})
	})
}

// A retention that the program has ordered holds what was used, however much; the default gives way.
func TestOrderedRetention(t *testing.T) {
	if sanitize.Enabled {
		t.Skip("what is released is poisoned in a quarantine")
	}
	onBothEngines(t, func(t *testing.T, c Config) {
		const n, size = 64, 1 << 20
		for _, c.Ordered = range []bool{true, false} {
			quietly(t, func() {
				c.Retain = time.Hour
				p := newPool(c)
				keep(p, n, size)
				for range 3 {
					agePools()
				}
				before := misses(p.Stats())
				keep(p, n, size)
				if n := misses(p.Stats()) - before; (n > 0) == c.Ordered {
					t.Errorf("ordered: %v; after three collections %d of 64 MiB are gone", c.Ordered, n)
				}
			})
		}
	})
}
