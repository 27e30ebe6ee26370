package measure

import (
	"maps"
	"runtime"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// A taken is what one slice showed.
type taken struct {
	took  time.Duration
	units map[string]float64
}

// record takes a sample and keeps it.
func record(e *entrant) error {
	s, err := slice(e)
	if err != nil {
		return err
	}
	for unit, v := range s.units {
		e.out.Samples[unit] = append(e.out.Samples[unit], v)
	}
	return nil
}

// slice takes one sample of the contestant.
//
// Reading the allocator's statistics stops the world, and is exact for that; it
// happens before the clock starts and after it stopped.
func slice(e *entrant) (taken, error) {
	heapPeak := 0.0
	collect(e.heap)
	run := e.c.Start()
	if e.heap {
		heapPeak = peak(func() { run.Do(1) }) // warms up as well
		collect(true)
	} else {
		run.Do(warmUps(e.n))
	}

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	run.Do(e.n)
	took := time.Since(began)
	runtime.ReadMemStats(&after)

	units, err := finish(run)
	if err != nil {
		return taken{}, err
	}
	n := float64(e.n)
	units[sample.Time] = float64(took.Nanoseconds()) / n
	units[sample.Bytes] = float64(after.TotalAlloc-before.TotalAlloc) / n
	units[sample.Allocs] = float64(after.Mallocs-before.Mallocs) / n
	if e.heap {
		units[sample.GCs] = float64(after.NumGC-before.NumGC) / n
		units[sample.Peak] = heapPeak
	}
	return taken{took, units}, nil
}

// finish ends a run: it returns the run's error or else its further figures, and
// in any case releases what the run holds.
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
