package measure

import (
	"context"
	"maps"
	"runtime"
	"runtime/metrics"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A taken is the result of a slice.
type taken struct {
	took  time.Duration
	units map[string]float64
}

// record takes a sample and adds it to the others.
func record(ctx context.Context, e *entrant) error {
	units, err := e.sample(ctx)
	if err != nil {
		return err
	}
	for unit, v := range units {
		e.c.Samples[unit] = append(e.c.Samples[unit], v)
	}
	return nil
}

// sample takes a sample, in this process or in a child.
func (e *entrant) sample(ctx context.Context) (map[string]float64, error) {
	if e.process != nil {
		return e.process.sample(ctx)
	}
	s, err := slice(e)
	return s.units, err
}

// slice takes one sample of the contestant.
func slice(e *entrant) (taken, error) {
	collect()
	run := e.c.Start()
	run.Do(warmUps(e.c.N))
	c := count(func() { run.Do(e.c.N) })
	units, err := finish(run)
	if err != nil {
		return taken{}, err
	}
	c.add(units, e.c.N)
	return taken{c.took, units}, nil
}

// A counted is what was counted while a function ran.
type counted struct {
	took          time.Duration
	before, after runtime.MemStats
}

// count calls do. Reading the statistics of the allocator stops the world and
// is exact; it happens before the clock starts and after it stops.
func count(do func()) *counted {
	c := new(counted)
	runtime.ReadMemStats(&c.before)
	began := time.Now()
	do()
	c.took = time.Since(began)
	runtime.ReadMemStats(&c.after)
	return c
}

// add adds the units that every row has, for n operations.
func (c *counted) add(units map[string]float64, n int) {
	units[contest.Time] = float64(c.took.Nanoseconds()) / float64(n)
	units[contest.Bytes] = float64(c.after.TotalAlloc-c.before.TotalAlloc) / float64(n)
	units[contest.Allocs] = float64(c.after.Mallocs-c.before.Mallocs) / float64(n)
}

// finish ends a run. It returns the error or else the metrics of the run, and
// always calls Stop.
func finish(run contest.Run) (map[string]float64, error) {
	if run.Stop != nil {
		defer run.Stop()
	}
	if run.Err != nil {
		if err := run.Err(); err != nil {
			return nil, err
		}
	}
	units := make(map[string]float64)
	if run.Metrics != nil {
		maps.Copy(units, run.Metrics())
	}
	return units, nil
}

// allocated is the metric for all memory ever allocated on the heap. Reading it
// does not stop the world and is not exact.
const allocated = "/gc/heap/allocs:bytes"

// maxGarbage is a quarter of the 4 MiB that the smallest heap grows to before
// it is collected.
const maxGarbage = 1 << 20

var collectedAt uint64 // the value of allocated after the last call of runtime.GC

// collect collects the garbage if there is so much that a collection in the next slice
// would be due to earlier slices.
func collect() {
	if read(allocated)-collectedAt > maxGarbage {
		runtime.GC()
		collectedAt = read(allocated)
	}
}

// read returns the value of a metric of the runtime.
func read(name string) uint64 {
	look := []metrics.Sample{{Name: name}}
	metrics.Read(look)
	return look[0].Value.Uint64()
}
