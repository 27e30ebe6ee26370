package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/octet-go/octet/bytespool/stats"
	"github.com/octet-go/octet/internal/rt"
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

// A squeezed is a program with a memory limit, in MiB: in a pool that retains for an
// hour lie idle bytes beside the live ones, while garbage makes collections happen.
type squeezed struct {
	limit      int // GOMEMLIMIT; 0 for none
	gogc       string
	live, idle int
}

// A seen is what such a program saw.
type seen struct {
	Kept    int64 // bytes idle at the end
	Changes int   // collections after which it was another amount than before
	Rises   int   // those of them after which it was more
	Forced  uint32
	stats.Pressure
}

// What is held for retention is what the rule says, with a real memory limit and without,
// soon, and without flapping, and no collection is asked for.
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
		"no limit":                 {squeezed{0, "100", 30, 12}, 12 * mib, 12 * mib},
		"more than may be held":    {squeezed{0, "100", 30, 40}, 3 * mib, 16 * mib}, // a tenth of what is live: see retain
		"a limit far away":         {squeezed{400, "100", 30, 12}, 12 * mib, 12 * mib},
		"the same without GOGC":    {squeezed{100, "off", 10, 12}, 12 * mib, 12 * mib},
		"live beyond half":         {squeezed{80, "100", 45, 12}, 0, 0},
		"beyond half without GOGC": {squeezed{80, "off", 45, 12}, 0, 0},
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
		fmt.Sprintf("OCTET_SQUEEZED=%d %d", c.live, c.idle))
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
	if got.Kept > got.Retain {
		fault("%d bytes are idle, more than may be", got.Kept)
	}
	if want := int64(c.limit) << 20; want > 0 && got.Limit != want || want == 0 && got.Limit != math.MaxInt64 {
		fault("the limit seems to be %d", got.Limit)
	}
	// A tenth of what is live becomes less with what is idle.
	if got.Changes > 4 || got.Rises > 0 || got.Forced > 0 {
		fault("%d changes, %d of them rises, %d collections were asked for", got.Changes, got.Rises, got.Forced)
	}
	return wrong
}

// TestSqueezed is a program that TestMemoryLimit starts.
func TestSqueezed(t *testing.T) {
	var live, idleMiB int
	if n, _ := fmt.Sscan(os.Getenv("OCTET_SQUEEZED"), &live, &idleMiB); n != 2 {
		return // this is not such a process
	}
	const size = 16 << 10
	p := newPool(Config{Options: stats.Options{Retain: time.Hour}})
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
		n := idle(p)
		if n != all {
			got.Changes++
		}
		if n > all {
			got.Rises++
		}
		all = n
	}
	got.Kept, got.Pressure, got.Forced = idle(p), LastPressure(), m.NumForcedGC
	runtime.KeepAlive(tree)
	json.NewEncoder(os.Stdout).Encode(got)
}

// garbage keeps slices from being allocated on the stack.
var garbage []byte

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

// Near a memory limit nobody has more than the limit leaves.
func TestSpare(t *testing.T) {
	for _, c := range []struct {
		s    stats.Pressure
		want int64
	}{
		{stats.Pressure{Limit: math.MaxInt64, Live: 1 << 40}, math.MaxInt64},
		{stats.Pressure{Limit: 100, NotHeap: 10, Live: 20}, 50},
		{stats.Pressure{Limit: 100, NotHeap: 10, Live: 50}, 0},
	} {
		if n := spare(c.s); n != c.want {
			t.Errorf("%+v leaves %d, want %d", c.s, n, c.want)
		}
	}
}
