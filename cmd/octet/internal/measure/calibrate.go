package measure

import (
	"math"
	"time"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// A cost is what a contestant takes, as far as calibration saw it.
type cost struct {
	fixed time.Duration // around a slice: collection, Start, statistics, Stop
	op    float64       // one operation, in nanoseconds; above 0
}

// probe returns how long calibration tries a contestant: long enough to have
// seen more than the clock and the first cache misses, and for all together not
// above a twentieth of the time.
func probe(o Options, contestants int) time.Duration {
	return min(2*time.Millisecond, o.Time/20/time.Duration(max(contestants, 1)))
}

// maxOperations bounds a call of Do, on 32-bit machines too.
const maxOperations = 1 << 30

// patience is for operations that are longer than calibration may try.
const patience = 20 * time.Millisecond

// calibrate finds out what an operation costs. It doubles their number until
// they take as long as it may try, and until twice as many take clearly longer:
// what a call of Do costs by itself, such as the start of a thousand goroutines,
// must not be taken for the cost of an operation, nor what the first one costs,
// which fills a pool.
func calibrate(e *entrant, try time.Duration) error {
	began := time.Now()
	collect(e.heap)
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
		tooLong := took >= patience && (half >= patience || e.heap)
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

// trial takes a sample to correct the cost by it. Whatever disturbs a machine
// makes it slower, so of two costs the lower is the truer one. If it is far
// lower, the sample was too short and another one is taken.
func trial(e *entrant) error {
	for range 3 {
		began := time.Now()
		s, err := slice(e)
		if err != nil {
			return err
		}
		op := perOperation(s.took, e.n)
		around := time.Since(began) - time.Duration(float64(e.n+warmUps(e.n))*op)
		e.cost.fixed = min(e.cost.fixed, max(around, 0))
		e.cycle = cycle(s.units[sample.Bytes], s.units[sample.Allocs], op)
		before := e.cost.op
		e.cost.op = min(before, op)
		if op > before/2 {
			break
		}
		e.n = e.operations(float64(e.n) * before)
	}
	return nil
}

// The runtime collects a small heap about whenever heapMinimum bytes were
// allocated, and takes some 100 µs for it. In a cycle above longCycle that is
// below a tenth, and it does not matter how many cycles a slice has.
const (
	heapMinimum = 4 << 20
	longCycle   = 2 * time.Millisecond
)

// cycle returns after how many operations the garbage is collected, or 0 if that
// does not matter. An operation allocates so many bytes in so many pieces, and
// takes op nanoseconds.
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

// perOperation is above 0 even where the clock saw nothing.
func perOperation(took time.Duration, n int) float64 {
	return max(float64(took.Nanoseconds())/float64(n), 0.1)
}
