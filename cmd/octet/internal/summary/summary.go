// Package summary computes what reports show: medians with their confidence
// intervals, ratios to the best rival, and a verdict on each group.
//
// It uses golang.org/x/perf/benchmath without assumptions about the
// distribution: the sample median, and an interval for it from order
// statistics.
package summary

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// Confidence is the minimum level of all intervals.
const Confidence = 0.95

// A Row is a sample.Row, summarized.
type Row struct {
	Name        string
	Bytes       int64
	Unit        string   // in which contestants are compared
	Aside       string   // why the row does not count in the verdict; "" if it counts
	Best        string   // the rival with the best median; "" without a rival or without octet
	Against     string   // as in contest.Row; Best is "" if this is not
	Promise     *Promise // nil if the row is about none
	Contestants []Contestant
}

// A Contestant is a sample.Contestant, summarized.
type Contestant struct {
	Name  string
	Ours  bool
	Floor bool
	N     int // operations in a sample

	// Units holds the median of each unit.
	Units map[string]benchmath.Summary

	// Ratio is the contestant's figure in the row's unit divided by the
	// best rival's, after the floor is subtracted from both. Below 1 is
	// better than the rival. It is the median of the ratios of all rounds,
	// so that a disturbance of a whole round does not show. It is nil for
	// the floor, without a rival, and if the best rival is not above the
	// floor. In a row with Against, that contestant takes the place of the
	// rival.
	Ratio *benchmath.Summary
}

// Rate returns the bytes per second that the contestant moves, or 0 in a row
// where a rate would be meaningless.
func (r *Row) Rate(c *Contestant) float64 {
	if r.Bytes == 0 || c.Units[sample.Time].Center == 0 {
		return 0
	}
	return float64(r.Bytes) / c.Units[sample.Time].Center * 1e9
}

// Of summarizes a row.
func Of(r *sample.Row) Row {
	unit := cmp.Or(r.Unit, sample.Time)
	out := Row{Name: r.Name, Bytes: r.Bytes, Unit: unit, Aside: r.Aside, Against: r.Against,
		Contestants: make([]Contestant, len(r.Contestants))}
	floor, best, ours := 0.0, -1, false
	for i, c := range r.Contestants {
		o := Contestant{Name: c.Name, Ours: c.Ours, N: c.N, Floor: c.Name == r.Floor, Units: make(map[string]benchmath.Summary)}
		for unit, values := range c.Samples {
			o.Units[unit] = Median(values)
		}
		out.Contestants[i] = o

		v, known := o.Units[unit]
		switch {
		case o.Floor:
			floor = v.Center
		case o.Ours:
			ours = true
		case known && (best < 0 || better(unit, v.Center, out.Contestants[best].Units[unit].Center)):
			best = i
		}
	}
	out.Promise = promise(r, &out)
	if r.Against != "" {
		best = slices.IndexFunc(r.Contestants, func(c sample.Contestant) bool { return c.Name == r.Against })
	}
	if best < 0 || !ours {
		return out
	}
	if r.Against == "" {
		out.Best = out.Contestants[best].Name
	}
	for i := range out.Contestants {
		if o := &out.Contestants[i]; !o.Floor {
			o.Ratio = ratio(unit, r.Contestants[i].Samples[unit], r.Contestants[best].Samples[unit], floor)
		}
	}
	return out
}

// better reports whether a is better than b. Less is better, except in units
// per second.
func better(unit string, a, b float64) bool {
	if perSecond(unit) {
		return a > b
	}
	return a < b
}

func perSecond(unit string) bool { return strings.HasSuffix(unit, "/s") }

// ratio returns the median of a's samples divided by b's, after the floor is
// subtracted from both. A round in which b was not above the floor was
// disturbed and does not count. If these are at least half of all, b is as fast
// as the bare loop, and there is no ratio.
func ratio(unit string, a, b []float64, floor float64) *benchmath.Summary {
	if perSecond(unit) { // below 1 is to be better here, too
		a, b = b, a
	}
	ratios := make([]float64, 0, len(a))
	for i := range min(len(a), len(b)) {
		if y := b[i] - floor; y > 0 {
			ratios = append(ratios, max(a[i]-floor, 0)/y)
		}
	}
	if len(ratios) == 0 || len(ratios)*2 <= len(a) {
		return nil
	}
	s := Median(ratios)
	return &s
}

// Median returns the median of the values with its confidence interval, which
// is infinite if there are too few values. It does not change the values.
func Median(values []float64) benchmath.Summary {
	s := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds) // sorts them
	return benchmath.AssumeNothing.Summary(s, Confidence)
}

// Clear reports on which side of 1 the interval lies: the contestant is better
// (-1) or worse (+1) than the best rival, or the interval contains 1 (0).
func Clear(ratio *benchmath.Summary) int {
	switch {
	case ratio == nil || math.IsInf(ratio.Hi, 0):
		return 0
	case ratio.Hi < 1:
		return -1
	case ratio.Lo > 1:
		return +1
	}
	return 0
}
