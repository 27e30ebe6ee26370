package contest

import (
	"maps"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// These units exist for every contestant. There may be others, such as those of
// [Run.Metrics]. Less is better in all of them, except in units that
// end in "/s".
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

// A Result is one execution of octet bench.
type Result struct {
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

// Whole rounds bytes and allocations down, as go test does: the fraction is due
// to the runtime, or to what was allocated once for all operations. Figures in
// other units are returned as they are.
func Whole(v float64, unit string) float64 {
	if unit == Bytes || unit == Allocs {
		return math.Floor(v)
	}
	return v
}

// Median returns the median of the values with its confidence interval, at 95 % and without
// assumptions about their distribution. The interval is infinite if there are too few values.
func Median(values []float64) benchmath.Summary {
	s := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds) // sorts them
	return benchmath.AssumeNothing.Summary(s, 0.95)
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
func (r *Result) Made() int {
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
