package measure

import (
	"math"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A cost is the time that a contestant takes, as estimated by calibration.
type cost struct {
	fixed time.Duration // around a slice: collection, Start, statistics, Stop
	op    float64       // one operation, in nanoseconds; above 0
}

// probe returns for how long calibration tries a contestant: long enough to see
// more than the clock and the first cache misses, and no more than a twentieth
// of the time for all contestants together.
func probe(o Options, contestants int) time.Duration {
	return min(2*time.Millisecond, o.Time/20/time.Duration(max(contestants, 1)))
}

// maxOperations bounds the n of Do, also on 32-bit machines.
const maxOperations = 1 << 30

// patience bounds calibration for operations that take longer than it may try.
const patience = 20 * time.Millisecond

// calibrate estimates the cost of an operation. It doubles the number of
// operations until they take as long as it may try, and until twice as many
// take clearly longer. Otherwise it would take for the cost of an operation
// what a call of Do costs by itself, such as starting a thousand goroutines, or
// the cost of the first operation, which fills a pool.
func calibrate(e *entrant, try time.Duration) error {
	began := time.Now()
	collect()
	run := e.c.Start()
	var took, spent time.Duration
	n := e.least
	for {
		half := took
		t := time.Now()
		run.Do(n)
		took = time.Since(t)
		spent += took
		grows := half > 0 && took >= half*3/2
		tooLong := took >= patience && half >= patience
		if grows && took >= try/2 || tooLong || n > maxOperations/2 {
			break
		}
		n *= 2
	}
	if _, err := finish(run); err != nil {
		return err
	}
	e.cost = cost{fixed: time.Since(began) - spent, op: perOperation(took, n)}
	return nil
}

// trial takes a sample and corrects the cost by it. Disturbances only ever make
// a machine slower, so the lower of two costs is closer to the truth. If the
// new one is far lower, the sample was too short, and trial takes another.
func trial(e *entrant) error {
	for range 3 {
		began := time.Now()
		s, err := slice(e)
		if err != nil {
			return err
		}
		op := perOperation(s.took, e.c.N)
		around := time.Since(began) - time.Duration(float64(e.c.N+warmUps(e.c.N))*op)
		e.cost.fixed = min(e.cost.fixed, max(around, 0))
		e.cycle = cycle(s.units[contest.Bytes], s.units[contest.Allocs], op)
		before := e.cost.op
		e.cost.op = min(before, op)
		if op > before/2 {
			break
		}
		e.c.N = e.operations(float64(e.c.N) * before)
	}
	return nil
}

// The runtime collects a small heap about every heapMinimum allocated bytes,
// and needs some 100 µs for it. If a cycle is longer than longCycle, that is
// below a tenth, and the number of cycles in a slice does not matter.
const (
	heapMinimum = 4 << 20
	longCycle   = 2 * time.Millisecond
)

// cycle returns the number of operations between two collections, or 0 if that
// does not matter. An operation allocates that many bytes in that many
// allocations, and takes op nanoseconds.
func cycle(bytes, allocs, op float64) int {
	if allocs < 1 || bytes < 1 {
		return 0
	}
	n := math.Ceil(heapMinimum / bytes)
	if n*op > float64(longCycle.Nanoseconds()) {
		return 0
	}
	return int(n)
}

// perOperation returns nanoseconds per operation. It is above 0 even if the
// clock did not advance.
func perOperation(took time.Duration, n int) float64 {
	return max(float64(took.Nanoseconds())/float64(n), 0.1)
}
