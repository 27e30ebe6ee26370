// Package figures has tables of all that the pools count: package poolz and contrib/prometheus make what they show
// from these. Each field of package stats has a row, with its name, unit and help.
package figures

import (
	"math"
	"strings"
	"time"

	"github.com/octet-go/octet/bytespool/stats"
)

// A Figure is a row of a table: a number of a T.
type Figure[T any] struct {
	// Name is its name, in words that are joined by underscores, without its unit. It
	// is "" for the bytes of a [stats.Limit].
	Name  string
	Unit  Unit
	Kind  Kind
	Help  string         // a sentence
	Value func(*T) int64 `json:"-"`
}

// A Unit is the unit of a figure.
type Unit string

const (
	Count   Unit = ""
	Bytes   Unit = "bytes"
	Seconds Unit = "seconds" // the value is in nanoseconds
	Time    Unit = "time"    // the value is in nanoseconds since 1970, 0 for never
)

// A Kind says how a figure changes, and how those of pools with one name are combined.
type Kind uint8

const (
	Counter Kind = iota // grows; those of several pools are added up
	Gauge               // grows and falls; those of several pools are added up
	Bound               // a bound on the gauges of the table; 0 for none; those of several pools are added up
	Largest             // 0 for none; of several pools, the largest
)

// Key returns the name with its unit, such as "idle_bytes". Counts and times have the name
// alone.
func (f *Figure[T]) Key() string {
	if f.Unit == Count || f.Unit == Time {
		return f.Name
	}
	return strings.TrimPrefix(f.Name+"_"+string(f.Unit), "_")
}

// Pools are the figures of a [stats.Pool]. Those of its Limit, Classes, Dropped, DroppedBytes and
// Pressure are in the other tables.
var Pools = []Figure[stats.Pool]{
	{"gets", Count, Counter, "Requests that a class served.", func(p *stats.Pool) int64 { return int64(p.Gets) }},
	{"hits", Count, Counter, "Requests that were served from idle memory.", func(p *stats.Pool) int64 { return int64(p.Hits) }},
	{"misses", Count, Counter, "Requests that had to allocate.", func(p *stats.Pool) int64 { return int64(p.Misses) }},
	{"puts", Count, Counter, "Releases that a class took.", func(p *stats.Pool) int64 { return int64(p.Puts) }},
	{"in_use", Count, Gauge, "Slices that were handed out and not released.", func(p *stats.Pool) int64 { return p.InUse }},
	{"in_use", Bytes, Gauge, "Capacity that was handed out and not released.", func(p *stats.Pool) int64 { return p.InUseBytes }},
	{"idle", Bytes, Gauge, "Capacity that is kept for later requests.", func(p *stats.Pool) int64 { return p.IdleBytes }},
	{"out_gets", Count, Counter, "Requests above the largest size, which are allocated.", func(p *stats.Pool) int64 { return int64(p.OutGets) }},
	{"out", Bytes, Counter, "Bytes that were asked for above the largest size.", func(p *stats.Pool) int64 { return int64(p.OutBytes) }},
	{"too_small", Count, Counter, "Releases rejected because of a small capacity.", func(p *stats.Pool) int64 { return int64(p.TooSmall) }},
	{"too_large", Count, Counter, "Releases rejected because of a large capacity.", func(p *stats.Pool) int64 { return int64(p.TooLarge) }},
	{"rejected", Count, Counter, "Requests that a limit rejected.", func(p *stats.Pool) int64 { return int64(p.Rejected) }},
	{"last_drop", Time, Largest, "When idle memory was dropped last.", func(p *stats.Pool) int64 { return unix(p.LastDrop) }},
	{"budget", Bytes, Bound, "The bound on idle memory.", func(p *stats.Pool) int64 { return p.Budget }},
	{"retain", Seconds, Largest, "How long what was used is kept.", func(p *stats.Pool) int64 { return int64(p.Retain) }},
	{"steps", Count, Largest, "Classes a doubling of the size.", func(p *stats.Pool) int64 { return int64(p.Steps) }},
}

// Classes are the figures of a [stats.Class].
var Classes = []Figure[stats.Class]{
	{"gets", Count, Counter, "Requests that the class served.", func(c *stats.Class) int64 { return int64(c.Gets) }},
	{"hits", Count, Counter, "Requests that were served from idle memory.", func(c *stats.Class) int64 { return int64(c.Hits) }},
	{"misses", Count, Counter, "Requests that had to allocate.", func(c *stats.Class) int64 { return int64(c.Misses) }},
	{"puts", Count, Counter, "Releases.", func(c *stats.Class) int64 { return int64(c.Puts) }},
	{"in_use", Count, Gauge, "Slices that were handed out and not released.", func(c *stats.Class) int64 { return c.InUse }},
	{"idle", Bytes, Gauge, "Capacity that is kept for later requests.", func(c *stats.Class) int64 { return c.IdleBytes }},
}

// Drops are the reasons in [stats.Dropped]. The help describes the slices dropped for it.
var Drops = []Figure[stats.Dropped]{
	{"over_budget", Count, Counter, "The budget had no room.", func(d *stats.Dropped) int64 { return int64(d.OverBudget) }},
	{"over_bound", Count, Counter, "Nobody had asked for as many lately.", func(d *stats.Dropped) int64 { return int64(d.OverBound) }},
	{"aged", Count, Counter, "Not used for long.", func(d *stats.Dropped) int64 { return int64(d.Aged) }},
	{"trimmed", Count, Counter, "Trim was called, or a checked mode began or ended.", func(d *stats.Dropped) int64 { return int64(d.Trimmed) }},
	{"abandoned", Count, Counter, "Left to the collector by its owner.", func(d *stats.Dropped) int64 { return int64(d.Abandoned) }},
	{"front_cut", Count, Counter, "It did not begin where its memory does.", func(d *stats.Dropped) int64 { return int64(d.FrontCut) }},
}

// Limits are the figures of a [stats.Limit].
var Limits = []Figure[stats.Limit]{
	{"", Bytes, Bound, "The limit on bytes in use.", func(l *stats.Limit) int64 { return l.Bytes }},
	{"in_use", Bytes, Gauge, "Capacity that was handed out below the limit and not released.", func(l *stats.Limit) int64 { return l.InUse }},
	{"reserved", Bytes, Gauge, "Bytes that were set aside below the limit and not taken yet.", func(l *stats.Limit) int64 { return l.Reserved }},
	{"peak", Bytes, Gauge, "The most that was in use and reserved together.", func(l *stats.Limit) int64 { return l.Peak }},
	{"waiting", Count, Gauge, "Requests that wait for room below the limit.", func(l *stats.Limit) int64 { return int64(l.Waiting) }},
	{"rejected", Count, Counter, "Requests that the limit rejected.", func(l *stats.Limit) int64 { return int64(l.Rejected) }},
	{"waited", Seconds, Counter, "Time for which requests waited.", func(l *stats.Limit) int64 { return int64(l.Waited) }},
}

// Pressures are the figures of [stats.Pressure].
var Pressures = []Figure[stats.Pressure]{
	{"at", Time, Largest, "When the memory of the program was looked at.", func(p *stats.Pressure) int64 { return unix(p.At) }},
	{"live", Bytes, Gauge, "The heap that was live.", func(p *stats.Pressure) int64 { return p.Live }},
	{"not_heap", Bytes, Gauge, "Memory of the program beside its heap.", func(p *stats.Pressure) int64 { return p.NotHeap }},
	{"used", Bytes, Gauge, "Slices in use at a collection, or used since the one before: the most of the last four.", func(p *stats.Pressure) int64 { return p.Used }},
	{"limit", Bytes, Bound, "The memory limit of the program, GOMEMLIMIT.", func(p *stats.Pressure) int64 { return bound(p.Limit) }},
	{"retain", Bytes, Gauge, "What all pools together may retain although nobody uses it.", func(p *stats.Pressure) int64 { return p.Retain }},
	{"gc_limited_cycle", Count, Largest, "The last collection whose share of the processors the runtime limited.", func(p *stats.Pressure) int64 { return int64(p.GCLimitedCycle) }},
}

// unix returns t in nanoseconds since 1970, 0 if it is zero.
func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// bound returns n, or 0 for none.
func bound(n int64) int64 {
	if n == math.MaxInt64 {
		return 0
	}
	return n
}
