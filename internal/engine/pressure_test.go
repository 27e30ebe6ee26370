package engine

import (
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestKeep(t *testing.T) {
	const mib = 1 << 20
	for name, c := range map[string]struct {
		m    Memory
		want int64
	}{
		"no limit":                           {Memory{Live: 1 << 40, Limit: math.MaxInt64}, math.MaxInt64},
		"nothing is live":                    {Memory{Limit: 1000 * mib}, 800 * mib},
		"half is live":                       {Memory{Live: 500 * mib, Limit: 1000 * mib}, 300 * mib},
		"what pools keep does not count":     {Memory{Live: 500 * mib, Idle: 300 * mib, Limit: 1000 * mib}, 600 * mib},
		"memory beside the heap":             {Memory{Live: 500 * mib, NotHeap: 200 * mib, Limit: 1000 * mib}, 140 * mib},
		"four fifths are live":               {Memory{Live: 800 * mib, Limit: 1000 * mib}, 1000 * mib / 64},
		"the limit is exceeded":              {Memory{Live: 2000 * mib, Limit: 1000 * mib}, 1000 * mib / 64},
		"there is no room for a heap":        {Memory{Live: 10 * mib, NotHeap: 200 * mib, Limit: 100 * mib}, 0},
		"more is idle than was live, by now": {Memory{Live: 100 * mib, Idle: 150 * mib, Limit: 1000 * mib}, 800 * mib},
		"the limit is 0":                     {Memory{Live: 100 * mib}, 0},
	} {
		if got := c.m.Keep(); (got-c.want)/1000 != 0 { // of some bytes by rounding
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// More pressure never keeps more, and there is never less than nothing.
func TestKeepIsMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	size := func() int64 { return r.Int64N(1 << r.IntN(50)) }
	for range 100_000 {
		m := Memory{Live: size(), Idle: size(), NotHeap: size(), Limit: size()}
		if m.Keep() < 0 {
			t.Fatalf("%+v: %d", m, m.Keep())
		}
		more := m
		switch d := size(); r.IntN(4) {
		case 0:
			more.Live += d
		case 1:
			more.Idle = max(0, m.Idle-d)
		case 2:
			more.NotHeap += d
		case 3:
			more.Limit = max(0, m.Limit-d)
		}
		if more.Keep() > m.Keep() {
			t.Fatalf("%+v keeps %d, and %+v keeps %d", m, m.Keep(), more, more.Keep())
		}
	}
}

// What is above the line goes, from each pool in proportion, and no collection is
// asked for.
func TestYield(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.Retain = time.Hour
		quietly(t, func() {
			for p := range Pools() {
				p.Trim() // of other tests
			}
			p, q := newPool(c), newPool(c)
			o := carriers(q)
			keep(p, 1000, 64<<10)
			keep(p, 100, 1000)
			keep(q, 250, 64<<10)
			var held []*carrier
			for range 250 {
				held = append(held, getCarrier(o, 1<<16))
			}
			for _, x := range held {
				o.Put(x, cap(x.b))
			}
			ageNow(p) // so that there are victims
			keep(p, 10, 1000)
			before := []int64{idle(p), idle(q)}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			collections := m.NumGC

			all := idleBytes()
			yield(Memory{Limit: math.MaxInt64})
			yield(Memory{Limit: all * 5})
			if idleBytes() != all {
				t.Fatal("idle memory went without need")
			}
			yield(Memory{Limit: all/2*5/4 + 4}) // half of it may stay
			for i, pool := range []*Pool{p, q} {
				want, now := before[i]/2, idle(pool)
				if now > want || now < want-want/4-slots*64<<10 {
					t.Errorf("pool %d keeps %d bytes of %d, want about half", i, now, before[i])
				}
				for _, cs := range pool.Stats().Classes {
					if cs.Dropped.Pressure == 0 || cs.Dropped.Pressure+cs.Idle != cs.Puts-cs.Hits() {
						t.Errorf("pool %d: %+v", i, cs)
					}
				}
			}
			if got := LastPressure(); got.Kept > all/2+4 || got.Kept < all/2-all/100 || time.Since(got.At) > time.Minute {
				t.Errorf("%+v", got)
			}
			yield(Memory{Live: 1 << 50, Limit: 1})
			if n := idleBytes(); n > 0 {
				t.Errorf("%d bytes are idle where nothing may be", n)
			}
			if b := p.New(1000); len(b) != 1000 || !p.Release(b) {
				t.Error("the pool does not work any more")
			}
			if runtime.ReadMemStats(&m); m.NumGC != collections {
				t.Errorf("%d collections", m.NumGC-collections)
			}
		})
	})
}

// What a pool drops counts for one reason. Those of age are not counted but follow
// from the others.
func TestDroppedByReason(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		quietly(t, func() {
			c.Budget = 1 << 20
			p := newPool(c)
			check := func(want Dropped) {
				t.Helper()
				if s := p.Stats().Classes[0]; s.Dropped != want || s.Idle != 0 {
					t.Errorf("%+v, want %+v", s, want)
				}
			}
			for range 3 {
				p.Release(make([]byte, 100)) // it holds more than its class counts
			}
			check(Dropped{OverBudget: 3})
			keep(p, 5, 64)
			ageNow(p)
			ageNow(p)
			check(Dropped{OverBudget: 3, Aged: 5})
			keep(p, 7, 64)
			p.Trim()
			check(Dropped{OverBudget: 3, Aged: 5, Trimmed: 7})
			keep(p, 9, 64)
			yield(Memory{Live: 1 << 50, Limit: 1})
			check(Dropped{OverBudget: 3, Aged: 5, Trimmed: 7, Pressure: 9})
		})
	})
}

// The runtime has what the rule looks at.
func TestReadMemory(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	live := make([]byte, 10<<20)
	runtime.GC()
	m := readMemory()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	if m.Limit != 1<<40 || m.Live < 10<<20 || m.Live > int64(s.HeapSys) || m.NotHeap < 1<<16 || m.NotHeap > int64(s.Sys) {
		t.Errorf("%+v; %d in heap, %d in all", m, s.HeapSys, s.Sys)
	}
	runtime.KeepAlive(live)
}
