// Package sample holds the result of a benchmark run: the environment and, for
// every contestant, the raw samples, one for each round. Reports and
// comparisons are made from it, and it is what is saved and read back.
package sample

import (
	"maps"
	"math"
	"slices"
)

// These units exist for every contestant. There may be others, such as those of
// [contest.Run.Metrics]. Less is better in all of them, except in units that
// end in "/s".
const (
	Time   = "ns/op"
	Bytes  = "B/op"      // allocated bytes
	Allocs = "allocs/op" // allocations
)

// These units exist in rows with [contest.Row.Process].
const (
	GCs = "gcs/op"     // collections that ended during one operation
	CPU = "cpu-ns/op"  // processor time, user and system, of one operation
	RSS = "peak-rss-B" // the most memory that was resident, less that before the run; on Unix only
)

// A Run is one execution of octet bench.
type Run struct {
	Env    Env  `json:"environment"`
	Rounds int  `json:"rounds"` // asked for; fewer were made if time ran out
	Quick  bool `json:"quick,omitempty"`

	// Layouts, if not 0, is how many layouts of the program were measured. A sample is then
	// the median of one of them.
	Layouts int `json:"layouts,omitempty"`

	// Others is the share of the processors that other programs used meanwhile, if
	// they left hardly any idle; otherwise, and where that is not known, 0.
	Others float64 `json:"others,omitempty"`

	Groups []Group `json:"groups"`
}

// Env describes where and how a run was made.
type Env struct {
	Time       string            `json:"time"` // RFC 3339, UTC
	CPU        string            `json:"cpu"`
	Cores      int               `json:"cores"`
	GOMAXPROCS int               `json:"gomaxprocs"`
	GOOS       string            `json:"goos"`
	GOARCH     string            `json:"goarch"`
	Go         string            `json:"go"`
	Octet      string            `json:"octet"`   // its version, with the commit if known
	Modules    map[string]string `json:"modules"` // the versions of the other modules
	Command    string            `json:"command"` // absolute paths are cut to their last element
}

// A Group is the samples of a contest.Group.
type Group struct {
	Name  string `json:"name"`
	About string `json:"about,omitempty"`
	Rows  []Row  `json:"rows"`
}

// A Row is the samples of a contest.Row.
type Row struct {
	Name        string       `json:"name"`
	About       string       `json:"about,omitempty"`
	Unit        string       `json:"unit,omitempty"` // in which contestants are compared; "" is Time
	Aside       string       `json:"aside,omitempty"`
	Peer        string       `json:"peer,omitempty"`
	Contestants []Contestant `json:"contestants"`
}

// A Contestant is the samples of a contest.Contestant.
type Contestant struct {
	Name string `json:"name"`
	Ours bool   `json:"ours,omitempty"`

	// N is the number of operations in a sample.
	N int `json:"n"`

	// Samples holds, for each unit, one figure for each round. All
	// contestants of a row have the same number of them, and those of one
	// index were taken one right after another.
	Samples map[string][]float64 `json:"samples"`
}

// Whole rounds bytes and allocations down, as go test does: the fraction is due
// to the runtime, or to what was allocated once for all operations. Figures in
// other units are returned as they are.
func Whole(v float64, unit string) float64 {
	if unit == Bytes || unit == Allocs {
		return math.Floor(v)
	}
	return v
}

// Rounds returns the number of samples in each unit.
func (r *Row) Rounds() int {
	if len(r.Contestants) == 0 {
		return 0
	}
	return len(r.Contestants[0].Samples[Time])
}

// Made returns the number of rounds that were made: the largest number of
// samples of any row.
func (r *Run) Made() int {
	most := 0
	for _, g := range r.Groups {
		for _, row := range g.Rows {
			most = max(most, row.Rounds())
		}
	}
	return most
}

// Units returns the units of the samples: time, bytes and allocations first,
// then the others by name.
func (c *Contestant) Units() []string {
	units := []string{Time, Bytes, Allocs}
	for _, u := range slices.Sorted(maps.Keys(c.Samples)) {
		if u != Time && u != Bytes && u != Allocs {
			units = append(units, u)
		}
	}
	return units
}
