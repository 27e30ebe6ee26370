// Package sample is what a benchmark run leaves behind: the environment, and
// for every contestant the raw samples, one a round. Reports and comparisons are
// made from it, and a run that was saved is read back into it.
package sample

import (
	"maps"
	"math"
	"slices"
)

// The units that every contestant has. A contestant may have further ones, such
// as those of [contest.Run.Metrics]; lower is better in all of them, except
// where the unit ends in "/s".
const (
	Time   = "ns/op"
	Bytes  = "B/op"      // allocated bytes
	Allocs = "allocs/op" // allocations
)

// The further units of a row with [contest.Row.Heap] or [contest.Row.Process].
const (
	GCs  = "gcs/op"      // collections that ended while one operation ran
	Peak = "peak-heap-B" // the most heap in use while it ran, less what was in use before
)

// The further units of a row with [contest.Row.Process].
const (
	CPU = "cpu-ns/op"  // processor time of the whole process, for one operation
	RSS = "peak-rss-B" // the most memory that the process occupied; only where the system tells it
)

// A Run is one execution of octet bench.
type Run struct {
	Env    Env     `json:"environment"`
	Rounds int     `json:"rounds"` // that were asked for; fewer were made if time ran out
	Groups []Group `json:"groups"`
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
	Bytes       int64        `json:"bytes,omitempty"` // moved by one operation
	Floor       string       `json:"floor,omitempty"`
	Unit        string       `json:"unit,omitempty"` // in which contestants are compared; "" is Time
	Aside       string       `json:"aside,omitempty"`
	Against     string       `json:"against,omitempty"`
	Contestants []Contestant `json:"contestants"`
}

// A Contestant is what one contestant needed for its row's work.
type Contestant struct {
	Name string `json:"name"`
	Ours bool   `json:"ours,omitempty"`

	// N is the number of operations in a sample.
	N int `json:"n"`

	// Samples has, for each unit, one figure a round. All contestants of a
	// row have equally many, and those of one index were taken one right
	// after the other.
	Samples map[string][]float64 `json:"samples"`
}

// Whole rounds down bytes and allocations, as go test does: the fraction is what
// the runtime allocated meanwhile, or what was allocated once and for all.
// Figures of other units stay as they are.
func Whole(v float64, unit string) float64 {
	if unit == Bytes || unit == Allocs {
		return math.Floor(v)
	}
	return v
}

// Rounds is the number of samples that the row has in each unit.
func (r *Row) Rounds() int {
	if len(r.Contestants) == 0 {
		return 0
	}
	return len(r.Contestants[0].Samples[Time])
}

// Made is the number of rounds that were made: the most that any row has.
func (r *Run) Made() int {
	most := 0
	for _, g := range r.Groups {
		for _, row := range g.Rows {
			most = max(most, row.Rounds())
		}
	}
	return most
}

// Units returns the units that the contestant has samples in: time, bytes and
// allocations first, then the others by name.
func (c *Contestant) Units() []string {
	units := []string{Time, Bytes, Allocs}
	for _, u := range slices.Sorted(maps.Keys(c.Samples)) {
		if u != Time && u != Bytes && u != Allocs {
			units = append(units, u)
		}
	}
	return units
}
