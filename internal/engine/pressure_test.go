package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

func TestKeep(t *testing.T) {
	const mib = 1 << 20
	for name, c := range map[string]struct {
		m            Memory
		keep, retain int64
	}{
		"no limit":                           {Memory{Live: 1 << 40, Limit: math.MaxInt64}, math.MaxInt64, math.MaxInt64},
		"nothing is live":                    {Memory{Limit: 1000 * mib}, 800 * mib, 800 * mib},
		"little is live":                     {Memory{Live: 100 * mib, Limit: 1000 * mib}, 700 * mib, 700 * mib},
		"a third is live":                    {Memory{Live: 333 * mib, Limit: 1000 * mib}, 467 * mib, 334 * mib},
		"half is live":                       {Memory{Live: 500 * mib, Limit: 1000 * mib}, 300 * mib, 1000 * mib / 64},
		"what pools keep does not count":     {Memory{Live: 600 * mib, Idle: 300 * mib, Limit: 1000 * mib}, 500 * mib, 400 * mib},
		"memory beside the heap":             {Memory{Live: 300 * mib, NotHeap: 200 * mib, Limit: 1000 * mib}, 340 * mib, 200 * mib},
		"four fifths are live":               {Memory{Live: 800 * mib, Limit: 1000 * mib}, 1000 * mib / 64, 1000 * mib / 64},
		"the limit is exceeded":              {Memory{Live: 2000 * mib, Limit: 1000 * mib}, 1000 * mib / 64, 1000 * mib / 64},
		"there is no room for a heap":        {Memory{Live: 10 * mib, NotHeap: 200 * mib, Limit: 100 * mib}, 0, 0},
		"more is idle than was live, by now": {Memory{Live: 100 * mib, Idle: 150 * mib, Limit: 1000 * mib}, 800 * mib, 800 * mib},
		"the limit is 0":                     {Memory{Live: 100 * mib}, 0, 0},
	} {
		near := func(got, want int64) bool { return (got-want)/1000 == 0 } // the rest is rounding
		if !near(c.m.Keep(), c.keep) || !near(c.m.Retain(), c.retain) {
			t.Errorf("%s: keeps %d, want %d; retains %d, want %d", name, c.m.Keep(), c.keep, c.m.Retain(), c.retain)
		}
	}
}

// With more pressure neither Keep nor Retain returns more. What is retained is part of
// what is kept, and neither is less than 0.
func TestKeepIsMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	size := func() int64 { return r.Int64N(1 << r.IntN(50)) }
	for range 100_000 {
		m := Memory{Live: size(), Idle: size(), NotHeap: size(), Limit: size()}
		if m.Retain() < 0 || m.Retain() > m.Keep() {
			t.Fatalf("%+v: keeps %d and retains %d", m, m.Keep(), m.Retain())
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
		if more.Keep() > m.Keep() || more.Retain() > m.Retain() {
			t.Fatalf("%+v: %d, %d; %+v: %d, %d", m, m.Keep(), m.Retain(), more, more.Keep(), more.Retain())
		}
	}
}

// All pools together stay below their bound before a collection, each however little it
// keeps itself.
func TestPoolsTogetherYieldAtOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, c Config) {
		const pools, n, size, room = 40, 60, 64 << 10, 128 << 20
		quietly(t, func() {
			runtime.GC()
			m := readMemory()
			limit := debug.SetMemoryLimit(m.NotHeap + m.Live + room)
			defer func() {
				debug.SetMemoryLimit(limit)
				yield(readMemory())
			}()
			var all []*Pool
			sum := int64(0)
			for range pools {
				p := newPool(c)
				keep(p, n, size)
				all = append(all, p)
				sum += idle(p)
			}
			if sum > room/2 {
				t.Errorf("%d bytes idle, of %d that there is room for", sum, room)
			}
			for _, p := range all {
				p.Trim()
			}
			if p := all[0]; misses(p.Stats()) != n {
				t.Errorf("the first pool missed %d of %d", misses(p.Stats()), n)
			}
			if sum < room/8 {
				t.Errorf("%d bytes idle, although there is room for %d", sum, room)
			}
		})
	})
}

// If memory is tight, what was not used since the last collections is dropped in spite
// of retention, and what was used stays.
func TestTightMemoryIsNotRetained(t *testing.T) {
	onAllKinds(t, func(t *testing.T, c Config) {
		c.Retain = time.Hour
		quietly(t, func() {
			p := newPool(c)
			keep(p, 1000, 64<<10)
			keep(p, 300, 1000) // of a class that is not used any more
			now := time.Since(started)
			p.age(now, false)
			p.age(now, false)
			if idle(p) != 1000*64<<10+300*1024 {
				t.Fatalf("%d bytes are idle", idle(p))
			}
			before := misses(p.Stats())
			for range 4 {
				keep(p, 200, 64<<10)
				p.age(now, true)
			}
			if n := misses(p.Stats()) - before; n > 0 {
				t.Errorf("%d of the slices that were used were dropped", n)
			}
			if n := idle(p); n < 200*64<<10 || n > (200+slots)*64<<10 {
				t.Errorf("%d bytes are idle, where %d are used", n, 200*64<<10)
			}
		})
	})
}

// What is above the bound is dropped, from each pool in proportion, and no collection
// is requested.
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
			if got := LastPressure(); got.Keep > all/2+4 || got.Keep < all/2-all/100 || time.Since(got.At) > time.Minute {
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

// What a pool drops counts for one reason. What age drops is not counted: it follows
// from the other numbers.
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

// The runtime has the metrics that the rule looks at.
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

// A squeezed is a program with a memory limit, in MiB: in a pool that retains for an
// hour lie idle bytes beside the live ones, while garbage makes collections happen.
type squeezed struct {
	limit      int // GOMEMLIMIT; 0 for none
	gogc       string
	live, idle int
	used       int // part of idle that is used between collections
}

// A seen is what such a program saw.
type seen struct {
	Kept    int64 // bytes idle at the end
	Changes int   // collections after which it was another amount than before
	Lost    int   // slices that were used and not found again
	Forced  uint32
	Pressure
}

// With a real memory limit, what is idle yields as the rules say, soon, and without
// flapping, and no collection is asked for.
func TestMemoryLimit(t *testing.T) {
	testenv.NeedsExec(t)
	if sanitize.Enabled || !rt.Pinned {
		t.Skip("a sanitizer's own memory counts; and the rules do not depend on the engine")
	}
	testenv.Long(t)
	const mib = 1 << 20
	for name, c := range map[string]struct {
		squeezed
		least, most int64 // idle at the end
	}{
		"no limit":                 {squeezed{0, "100", 30, 16, 0}, 16 * mib, 16 * mib},
		"a limit far away":         {squeezed{400, "100", 30, 16, 0}, 16 * mib, 16 * mib},
		"the same without GOGC":    {squeezed{100, "off", 10, 16, 0}, 16 * mib, 16 * mib},
		"live beyond half":         {squeezed{80, "100", 45, 16, 0}, 0, 80 * mib / 64},
		"beyond half without GOGC": {squeezed{80, "off", 45, 16, 0}, 0, 80 * mib / 64},
		"in use":                   {squeezed{120, "100", 55, 8, 4}, 4 * mib, 8 * mib},
		"live beyond four fifths":  {squeezed{64, "100", 56, 16, 0}, 0, 1 * mib},
		"more idle than there was": {squeezed{64, "100", 10, 60, 0}, 0, 44 * mib},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var wrong []string
			for range 3 { // on a busy machine much garbage is made while marking, and counts as live
				got := squeeze(t, c.squeezed)
				if wrong = c.faults(got, c.least, c.most); wrong == nil {
					return
				}
				t.Logf("%+v", got)
			}
			t.Error(wrong)
		})
	}
}

// squeeze runs TestSqueezed in a process of its own.
func squeeze(t *testing.T, c squeezed) (got seen) {
	limit := "off"
	if c.limit > 0 {
		limit = strconv.Itoa(c.limit) + "MiB"
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSqueezed$")
	cmd.Env = append(os.Environ(), "GOMEMLIMIT="+limit, "GOGC="+c.gogc, "GOMAXPROCS=1", "OCTETDEBUG=",
		fmt.Sprintf("OCTET_SQUEEZED=%d %d %d", c.live, c.idle, c.used))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	first, _, _ := bytes.Cut(out, []byte("\n"))
	if err := json.Unmarshal(first, &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return got
}

// faults says what is wrong with got. From least to most bytes shall be idle at the end.
func (c squeezed) faults(got seen, least, most int64) (wrong []string) {
	fault := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if got.Kept < least || got.Kept > most {
		fault("%d KiB are idle at the end, want %d to %d", got.Kept>>10, least>>10, most>>10)
	}
	if got.Kept > got.Keep || c.used == 0 && got.Kept > got.Retain {
		fault("%d bytes are idle, more than may be", got.Kept)
	}
	if want := int64(c.limit) << 20; want > 0 && got.Limit != want || want == 0 && got.Limit != math.MaxInt64 {
		fault("the limit seems to be %d", got.Limit)
	}
	if c.used == 0 && got.Changes > 2 || got.Forced > 0 || got.Lost > 0 {
		fault("%d changes, %d collections were asked for, %d used slices went", got.Changes, got.Forced, got.Lost)
	}
	return wrong
}

// TestSqueezed is a program that TestMemoryLimit starts.
func TestSqueezed(t *testing.T) {
	var live, idleMiB, used int
	if n, _ := fmt.Sscan(os.Getenv("OCTET_SQUEEZED"), &live, &idleMiB, &used); n != 3 {
		return // this is not such a process
	}
	const size = 16 << 10
	p := newPool(Config{Retain: time.Hour})
	type node [8]*byte
	tree := make([]*node, live<<20/int(unsafe.Sizeof(node{})))
	for i := range tree {
		tree[i] = new(node)
	}
	keep(p, idleMiB<<20/size, size)
	var got seen
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before, all := m.NumGC, idle(p)
	for before += 6; m.NumGC < before; runtime.ReadMemStats(&m) {
		last, looked := m.NumGC, LastPressure().At
		for ; m.NumGC == last; runtime.ReadMemStats(&m) {
			for range 20 {
				garbage = make([]byte, 10_000)
			}
			time.Sleep(100 * time.Microsecond) // or most of what is marked would be garbage, made meanwhile
		}
		for i := 0; idle(p) > 0 && LastPressure().At.Equal(looked) && i < 1000; i++ {
			time.Sleep(100 * time.Microsecond) // for the finalizer
		}
		if n := idle(p); n != all {
			got.Changes, all = got.Changes+1, n
		}
		if used > 0 {
			missed := misses(p.Stats())
			keep(p, used<<20/size, size)
			got.Lost += int(misses(p.Stats()) - missed)
		}
	}
	got.Kept, got.Pressure, got.Forced = idle(p), LastPressure(), m.NumForcedGC
	runtime.KeepAlive(tree)
	json.NewEncoder(os.Stdout).Encode(got)
}

// garbage keeps slices from being allocated on the stack.
var garbage []byte
