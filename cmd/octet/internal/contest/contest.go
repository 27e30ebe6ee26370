// Package contest defines what a benchmark is: groups of rows and, in each row,
// contestants that do the same work, with their samples once it was measured. Package
// groups declares them; package measure runs them and package report shows the results.
package contest

import "sync"

// A Group is a set of rows about one subject.
type Group struct {
	Name  string `json:"name"`            // as in --run, for example "pool"
	About string `json:"about,omitempty"` // what the rows do, in a sentence or two
	Rows  []Row  `json:"rows"`

	// OptIn is for a group that takes long or that few readers need: it
	// runs only if --run contains its name.
	OptIn bool `json:"-"`
}

// A Row is a piece of work that its contestants do in turn.
type Row struct {
	Name        string       `json:"name"`            // key=value pairs separated by slashes, for example "op=New/size=1024"
	About       string       `json:"about,omitempty"` // what it does, if its name and the group's About do not say it
	Contestants []Contestant `json:"contestants"`

	// Least is the fewest operations in a sample, however short its time,
	// for work of which a single operation is not representative.
	Least int `json:"-"`

	// Unit is the unit in which contestants are compared; "" is time. It
	// may be any unit that the row has, including those of Run.Metrics.
	Unit string `json:"unit,omitempty"`

	// Aside is a sentence that tells the reader why the row does not count
	// in the verdict; "" if it counts. Rows with the same sentence are
	// shown together, after those that count.
	Aside string `json:"aside,omitempty"`

	// Peer names the contestant to which octet's promise is made: not to need
	// much more memory and processor time, see summary.Promise. The row then
	// counts by that promise, and it has a Process.
	Peer string `json:"peer,omitempty"`

	// Process, if not nil, has each sample taken in a child process.
	Process *Process `json:"-"`
}

// A Process says how the child processes of a row run. Each takes one sample:
//
//   - It has environment variables of its own, such as GOMEMLIMIT.
//   - The processor time that it uses during Do is measured ("cpu-ns/op"), and
//     on Unix the most memory that it occupies, less what it occupied before
//     Start ("peak-rss-B").
//   - Start, Do and Metrics are called once, without a warm-up. Start can warm
//     up whatever needs it.
type Process struct {
	Operations int      // in a sample; at least 1
	Rounds     int      // samples of a contestant, if fewer than of the others are enough; 0 if not
	Env        []string // added to the environment, for example "GOMEMLIMIT=64MiB"
}

// A Contestant is one way to do a row's work.
type Contestant struct {
	Name       string `json:"name"`
	Ours       bool   `json:"ours,omitempty"` // octet itself, not a rival
	Operations int    `json:"-"`              // instead of the Process's, where that would take too long; 0 if not

	// Start prepares a run that shares nothing with any other: it makes a
	// new pool, for example. It is not measured, but it should be quick,
	// because it is called in every round.
	Start func() Run `json:"-"`

	// N is the number of operations in a sample, once there are samples.
	N int `json:"n"`

	// Samples holds, for each unit, one figure for each round. All
	// contestants of a row have the same number of them, and those of one
	// index were taken one right after another.
	Samples map[string][]float64 `json:"samples"`
}

// A Run is a contestant that is ready to work.
type Run struct {
	// Do does the operation n times. Only its time and allocations are
	// measured. It is called several times, by one goroutine at a time,
	// with different n; the first call warms up and is not measured. It
	// panics if the work goes wrong.
	Do func(n int)

	// Stop, if not nil, releases what Start acquired.
	Stop func()

	// Metrics, if not nil, returns further figures by unit after the last
	// Do, for example "idle-B". Less is better, except in units that end in
	// "/s".
	Metrics func() map[string]float64
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
