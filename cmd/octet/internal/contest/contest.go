// Package contest defines what a benchmark is: groups of rows and, in each row,
// contestants that do the same work, with their samples once it was measured. Packages
// groups and patterns declare them; package measure runs them and package report shows the
// results.
package contest

import (
	"slices"

	"golang.org/x/perf/benchmath"
)

// A Group is a set of rows about one subject.
type Group struct {
	Name  string // as in --run, for example "pool"
	About string // what the rows do, in a sentence or two
	Rows  []Row
}

// A Row is a piece of work that its contestants do in turn.
type Row struct {
	Name  string // key=value pairs separated by slashes, for example "op=New/size=1024"
	About string // what it does, if its name and the group's About do not say it

	// Contestants are octet, which is the first, and its rivals.
	Contestants []Contestant

	// Least is the fewest operations in a sample, however short its time,
	// for work of which a single operation is not representative.
	Least int

	// Aside is a sentence that tells the reader why the row does not count
	// in the verdict; "" if it counts. Rows with the same sentence are
	// shown together, after those that count.
	Aside string

	// Process, if not nil, has each sample taken in a child process.
	Process *Process
}

// A Process says how the child processes of a row run. Each takes one sample:
//
//   - It has environment variables of its own, such as GOMEMLIMIT.
//   - The processor time that it uses for the operations is measured ([CPU]), in which
//     contestants are then compared, and on Unix the most memory that it occupies, less what it
//     occupied before Start ([RSS]).
//   - Start is called once, and does not warm up. It can warm up whatever needs it.
type Process struct {
	Operations int      // in a sample; at least 1
	Env        []string // added to the environment, for example "GOMEMLIMIT=64MiB"

	// Promise is whether the row counts by octet's promise to its only rival, the peer: not to
	// need much more memory and processor time, see package report.
	Promise bool
}

// A Contestant is one way to do a row's work.
type Contestant struct {
	Name string

	// Start prepares a run that shares nothing with any other: it makes a
	// new pool, for example. It is not measured, but it should be quick,
	// because it is called in every round.
	//
	// The function that it returns does the operation n times. Its time and allocations
	// are measured. It is called several times, by one goroutine at a time,
	// with different n; the first call warms up and is not measured. It panics
	// if the work goes wrong.
	Start func() func(n int)

	// N is the number of operations in a sample, once there are samples.
	N int

	// Samples holds, for each unit, one figure for each round. All
	// contestants of a row have the same number of them, and those of one
	// index were taken one right after another.
	Samples map[string][]float64
}

// These units exist for every contestant. Less is better in all units.
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
