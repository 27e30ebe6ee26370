// Package contest defines what a benchmark is: groups of rows and, in each row,
// contestants that do the same work, with their samples once it was measured. Packages
// groups and patterns declare them; package measure runs them and package report shows the
// results.
package contest

import (
	"slices"
	"sync"

	"golang.org/x/perf/benchmath"
)

// A Group is a set of rows about one subject.
type Group struct {
	Name  string // as in --run, for example "pool"
	About string // what the rows do, in a sentence or two
	Rows  []Row

	// OptIn is for a group that takes long or that few readers need: it
	// runs only if --run contains its name.
	OptIn bool
}

// A Row is a piece of work that its contestants do in turn.
type Row struct {
	Name        string // key=value pairs separated by slashes, for example "op=New/size=1024"
	About       string // what it does, if its name and the group's About do not say it
	Contestants []Contestant

	// Least is the fewest operations in a sample, however short its time,
	// for work of which a single operation is not representative.
	Least int

	// Unit is the unit in which contestants are compared; "" is time. It
	// may be any unit that the row has, including those of Run.Metrics.
	Unit string

	// Aside is a sentence that tells the reader why the row does not count
	// in the verdict; "" if it counts. Rows with the same sentence are
	// shown together, after those that count.
	Aside string

	// Peer names the contestant to which octet's promise is made: not to need
	// much more memory and processor time, see package report. The row then
	// counts by that promise, and it has a Process.
	Peer string

	// Process, if not nil, has each sample taken in a child process.
	Process *Process
}

// A Process says how the child processes of a row run. Each takes one sample:
//
//   - It has environment variables of its own, such as GOMEMLIMIT.
//   - The processor time that it uses during Do is measured ([CPU]), and on Unix the most
//     memory that it occupies, less what it occupied before Start ([RSS]).
//   - Start, Do and Metrics are called once, without a warm-up. Start can warm
//     up whatever needs it.
type Process struct {
	Operations int      // in a sample; at least 1
	Rounds     int      // samples of a contestant, if fewer than of the others are enough; 0 if not
	Env        []string // added to the environment, for example "GOMEMLIMIT=64MiB"
}

// A Contestant is one way to do a row's work.
type Contestant struct {
	Name       string
	Ours       bool // octet itself, not a rival
	Operations int  // instead of the Process's, where that would take too long; 0 if not

	// Start prepares a run that shares nothing with any other: it makes a
	// new pool, for example. It is not measured, but it should be quick,
	// because it is called in every round.
	Start func() Run

	// N is the number of operations in a sample, once there are samples.
	N int

	// Samples holds, for each unit, one figure for each round. All
	// contestants of a row have the same number of them, and those of one
	// index were taken one right after another.
	Samples map[string][]float64
}

// A Run is a contestant that is ready to work.
type Run struct {
	// Do does the operation n times. Only its time and allocations are
	// measured. It is called several times, by one goroutine at a time,
	// with different n; the first call warms up and is not measured. It panics
	// if the work goes wrong.
	Do func(n int)

	// Stop, if not nil, releases what Start acquired.
	Stop func()

	// Metrics, if not nil, returns further figures by unit after the last
	// Do, for example "idle-B". Less is better.
	Metrics func() map[string]float64
}

// These units exist for every contestant. There may be others, such as those of
// [Run.Metrics]. Less is better in all of them.
const (
	Time   = "ns/op"
	Bytes  = "B/op"      // allocated bytes
	Allocs = "allocs/op" // allocations
)

// These units exist in rows with [Row.Process].
const (
	CPU = "cpu-ns/op"  // processor time, user and system, of one operation
	RSS = "peak-rss-B" // the most memory that was resident, less that before the run; on Unix only
)

// Rounds returns the number of samples in each unit.
func (r *Row) Rounds() int { return len(r.Contestants[0].Samples[Time]) }

// Median returns the median of the values with its confidence interval, at 95 % and without
// assumptions about their distribution. It is infinite if there are too few values.
func Median(values []float64) benchmath.Summary {
	s := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds) // sorts them
	return benchmath.AssumeNothing.Summary(s, 0.95)
}

// Parallel returns a Do that calls do on g goroutines at once, which share the
// n operations.
func Parallel(g int, do func(n int)) func(n int) {
	return func(n int) {
		var wg sync.WaitGroup
		for i := range g {
			wg.Go(func() { do((n + i) / g) })
		}
		wg.Wait()
	}
}
