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

// Memory measures what pools find of what they were given.
func Memory() contest.Group {
	g := contest.Group{
		Name: "memory",
		About: "256 slices of 64 KiB are taken and released, with as many collections between two bursts as gcs says; " +
			"miss-% is the share of slices that had to be allocated.",
		OptIn: true,
	}
	for _, gcs := range []int{1, 2, 4} {
		g.Rows = append(g.Rows, keepRow(gcs))
	}
	return g
}

const (
	misses   = "miss-%" // the share of gets that had to allocate
	keepSize = 64 << 10
)

// keepRow measures how much of a burst the next one finds.
func keepRow(gcs int) contest.Row {
	octet := func(name string, opts ...bytespool.Option) contest.Contestant {
		return contest.Contestant{Name: name, Ours: true, Start: func() contest.Run {
			p := bytespool.NewPool(append([]bytespool.Option{bytespool.WithSizes(octetMin, octetMax)}, opts...)...)
			return keep(octetPool(p, keepSize), gcs, func() uint64 { return p.Stats().Misses })
		}}
	}
	return contest.Row{
		Name:  "op=burst/gcs=" + strconv.Itoa(gcs),
		Unit:  misses,
		Aside: "They are about what is kept, of which neither more nor less is better in itself.",
		Contestants: []contest.Contestant{
			octet("octet"),
			octet("octet, retain 0", bytespool.WithRetain(0)),
			{Name: "sync.Pool", Start: func() contest.Run {
				var missed atomic.Uint64
				p, makeOne := new(sync.Pool), newSyncPool(keepSize).New
				p.New = func() any {
					missed.Add(1)
					return makeOne()
				}
				return keep(syncPool(p), gcs, missed.Load)
			}},
		},
	}
}

// keep returns a run of bursts, with no collections but those between them. The first ones
// do not count: they fill the pool, on each processor that the goroutine happens to run on.
func keep[T any](p pool[T], gcs int, missed func() uint64) contest.Run {
	percent := debug.SetGCPercent(-1)
	bursts, gets := burst(p, burstSize), 0
	do := func(n int) {
		for range n {
			bursts(1)
			for range gcs {
				runtime.GC()
				time.Sleep(time.Millisecond) // for the finalizer by which octet notices a collection
			}
		}
		gets += n * burstSize
	}
	do(10)
	before := missed()
	gets = 0
	return contest.Run{
		Do: do,
		Metrics: func() map[string]float64 {
			return map[string]float64{misses: 100 * float64(missed()-before) / float64(gets)}
		},
		Stop: func() { debug.SetGCPercent(percent) },
	}
}
