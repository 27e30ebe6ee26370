package groups

import (
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A burst takes keepCount slices of keepSize bytes.
const (
	keepCount = 256
	keepSize  = 64 << 10
)

// misses is the unit of the share of gets that had to allocate.
const misses = "miss-%"

// collect runs n collections. The pause lets finalizers run, by one of which octet's
// pools notice a collection.
func collect(n int) {
	for range n {
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}

// onTwo calls both functions at once, on two processors if there are two.
func onTwo(f, g func()) {
	var begun atomic.Int32
	meet := func() {
		begun.Add(1)
		for begun.Load() < 2 && runtime.GOMAXPROCS(0) > 1 {
			// Yielding would let the other run on this processor.
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		meet()
		g()
	})
	meet()
	f()
	wg.Wait()
}

// keepRow measures how much of a burst the next one finds. There are no collections
// but those between bursts.
func keepRow(goroutines, gcs int) contest.Row {
	budget := policy{"octet, budget 256 MiB", true, newOctetStore(bytespool.WithIdleBudget(256 << 20)), bytespool.DefaultRetain}
	return contest.Row{
		Name:  "op=burst/goroutines=" + strconv.Itoa(goroutines) + "/gcs=" + strconv.Itoa(gcs),
		Unit:  misses,
		Aside: keeping,
		Contestants: keepers(func(p policy) contest.Run {
			return missRun(p, func(s store, held []loan) {
				takeAll(s, held, keepSize)
				if goroutines == 1 {
					putAll(s, held)
				} else {
					onTwo(func() { putAll(s, held[:keepCount/2]) }, func() { putAll(s, held[keepCount/2:]) })
				}
				collect(gcs)
			})
		}, octetDefault, octetDrained, octetRetain(10*time.Second), budget, keepsSync, keepsAlways, keepsNever),
	}
}

// holdRow measures a burst that is in use while collections pass.
func holdRow(gcs int) contest.Row {
	return contest.Row{
		Name:  "op=hold/gcs=" + strconv.Itoa(gcs),
		Unit:  misses,
		Aside: keeping,
		Contestants: keepers(func(p policy) contest.Run {
			return missRun(p, func(s store, held []loan) {
				takeAll(s, held, keepSize)
				collect(gcs)
				putAll(s, held)
			})
		}, octetDefault, octetDrained, octetRetain(time.Minute), keepsSync, keepsAlways, keepsNever),
	}
}

// missRun returns a run of bursts. The first ones do not count: they fill the store,
// on each processor that the goroutine happens to run on.
func missRun(p policy, burst func(s store, held []loan)) contest.Run {
	percent := debug.SetGCPercent(-1)
	s := p.open()
	held := make([]loan, keepCount)
	for range 10 {
		burst(s, held)
	}
	gets, before := 0, s.misses()
	return contest.Run{
		Do: func(n int) {
			for range n {
				burst(s, held)
			}
			gets += n * keepCount
		},
		Metrics: func() map[string]float64 {
			return map[string]float64{misses: missed(gets, s.misses()-before)}
		},
		Stop: func() { debug.SetGCPercent(percent) },
	}
}

// missed returns the share of gets that missed, in percent.
func missed(gets int, misses uint64) float64 { return 100 * float64(misses) / float64(gets) }

// idleRow measures what is kept after the last use. Each contestant is a process of
// its own, because it waits, and other collections must not count.
func idleRow() contest.Row {
	last := "kept-3-B"
	return contest.Row{
		Name:    "op=idle",
		Unit:    last,
		Aside:   keeping,
		Process: &contest.Process{Operations: 1},
		Contestants: keepers(func(p policy) contest.Run {
			units := make(map[string]float64)
			return contest.Run{
				Do: func(int) {
					for unit, wait := range map[string]func(){
						"kept-1-B": func() {},
						"kept-2-B": func() { collect(1) },
						last:       func() { collect(1); time.Sleep(p.retain); collect(1) },
					} {
						s := p.open() // its own: to look may take out what it keeps
						held := make([]loan, keepCount)
						takeAll(s, held, keepSize)
						putAll(s, held)
						wait()
						units[unit] = float64(s.idle())
					}
				},
				Metrics: func() map[string]float64 { return units },
			}
		}, octetDefault, octetDrained, octetRetain(2*time.Second), keepsSync, keepsAlways),
	}
}
