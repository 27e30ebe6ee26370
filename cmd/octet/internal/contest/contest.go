// Package contest says what a benchmark is: groups of rows, and in each row
// contestants that do the same work. Packages under groups describe them, the
// package bench measures and reports them.
package contest

import "sync"

// A Group is a set of rows that belong together and are chosen by one name.
type Group struct {
	Name  string // as in --run, for example "pool"
	About string // what the rows do, in a sentence or two
	Rows  []Row

	// OptIn keeps the group out of a run unless --run contains its name: for
	// a group that takes long, or that few readers need.
	OptIn bool
}

// A Row is one piece of work that several contestants do in turn.
type Row struct {
	Name        string // key=value pairs separated by slashes, for example "op=New/size=1024"
	Bytes       int64  // bytes that one operation moves; 0 if a rate says nothing
	Contestants []Contestant

	// Floor names the contestant that runs the bare loop, or the part of the
	// work that all share, if there is one: what it takes is taken off
	// everybody's before ratios are formed. It is nobody's rival.
	Floor string

	// Least is the fewest operations that say something, where one alone
	// does not: for example when each of a thousand goroutines is to do
	// many. A sample has at least as many, however short its time is.
	Least int

	// Heap says that one operation is large enough to have collections of
	// its own: they are counted ("gcs/op"), and in a further, untimed
	// operation the peak of the heap is watched ("peak-heap-B").
	Heap bool

	// Unit is the unit in which contestants are compared; "" is time. It may
	// be any that the row has: of the measurement's own, or of Run.Metrics.
	Unit string

	// Aside tells the reader, in a sentence, why the row does not count in
	// the verdict; "" if it counts. Rows with the same sentence are shown
	// together, after those that count.
	Aside string

	// Against names the contestant that the others are compared with in a
	// row where octet competes with itself, and all contestants are Ours. Such
	// a row has an Aside.
	Against string

	// Process runs each sample in a process of its own; nil runs it in this
	// one.
	Process *Process
}

// A Process describes the processes in which a row's samples are taken, one
// each. Compared with a row that runs in this process, a process
//
//   - has environment variables of its own, such as a GOMEMLIMIT;
//   - has its processor time measured ("cpu-ns/op"), all that it used from its
//     start to its end, and where the system tells it the most memory that it
//     occupied ("peak-rss-B");
//   - has its collections counted and the peak of its heap watched during Do
//     ("gcs/op", "peak-heap-B");
//   - calls Start, Do and Metrics once: what is to be warm, Start warms.
//
// Starting one takes some 10 ms of processor time, which is in cpu-ns/op: so
// Operations should take a second or so.
type Process struct {
	Operations int      // of each sample; at least 1
	Env        []string // in addition to this process's own: "GOMEMLIMIT=64MiB"
}

// A Contestant is one way to do a row's work.
type Contestant struct {
	Name string
	Ours bool // octet itself, not a rival

	// Start prepares a run that shares nothing with any other: a fresh pool,
	// a fresh buffer. Its cost is not measured, but it is called for every
	// round, so it is quick.
	Start func() Run
}

// A Run is a contestant that is ready to work.
type Run struct {
	// Do does the row's operation n times. Only its time and allocations
	// count. Do is called several times, from one goroutine at a time; the
	// first call warms up and is not measured, and the number of operations
	// of a call differs from run to run.
	Do func(n int)

	// Err reports why what Do did so far is wrong, for example that a byte
	// differs; the whole measurement then fails. Nil if Do cannot go wrong.
	Err func() error

	// Stop releases what Start took; nil if there is nothing to do.
	Stop func()

	// Metrics reports further figures after the last Do, by unit, for
	// example "idle-B"; nil if there are none. A lower figure is better,
	// except for units that end in "/s".
	Metrics func() map[string]float64
}

// Parallel makes a Do of a function that is called on g goroutines at once and
// has them share the n operations.
func Parallel(g int, do func(n int)) func(n int) {
	return func(n int) {
		var wg sync.WaitGroup
		for i := range g {
			share := n / g
			if i < n%g {
				share++
			}
			wg.Go(func() { do(share) })
		}
		wg.Wait()
	}
}
