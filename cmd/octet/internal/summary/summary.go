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

	"golang.org/x/perf/benchmath"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A Row is a contest.Row, summarized.
type Row struct {
	Name        string
	Unit        string   // in which contestants are compared
	Aside       string   // why the row does not count in the verdict; "" if it counts
	Best        string   // the rival with the best median; "" without a rival or without octet
	Promise     *Promise // nil if the row is about none
	Contestants []Contestant
}

// A Contestant is a contest.Contestant, summarized.
type Contestant struct {
	Name string
	Ours bool
	N    int // operations in a sample

	// Units holds the median of each unit.
	Units map[string]benchmath.Summary

	// Ratio is the contestant's figure in the row's unit divided by the
	// best rival's. Below 1 is better than the rival. It is the median of the
	// ratios of all rounds, so that a disturbance of a whole round does not
	// show. It is nil without a rival.
	Ratio *benchmath.Summary
}

// Of summarizes a row.
func Of(r *contest.Row) Row {
	out := Row{Name: r.Name, Unit: cmp.Or(r.Unit, contest.Time), Aside: r.Aside, Contestants: make([]Contestant, len(r.Contestants))}
	best, ours := -1, false
	for i, c := range r.Contestants {
		o := Contestant{Name: c.Name, Ours: c.Ours, N: c.N, Units: make(map[string]benchmath.Summary)}
		for unit, values := range c.Samples {
			o.Units[unit] = contest.Median(values)
		}
		out.Contestants[i] = o

		v, known := o.Units[out.Unit]
		switch {
		case o.Ours:
			ours = true
		case known && (best < 0 || v.Center < out.Contestants[best].Units[out.Unit].Center):
			best = i
		}
	}
	out.Promise = promise(r, &out)
	if best < 0 || !ours {
		return out
	}
	out.Best = out.Contestants[best].Name
	for i := range out.Contestants {
		out.Contestants[i].Ratio = ratio(r.Contestants[i].Samples[out.Unit], r.Contestants[best].Samples[out.Unit])
	}
	return out
}

// ratio returns the median of a's samples divided by b's, or nil if too many of b's are 0.
func ratio(a, b []float64) *benchmath.Summary {
	ratios := make([]float64, 0, len(a))
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			ratios = append(ratios, a[i]/b[i])
		}
	}
	if len(ratios) == 0 || len(ratios)*2 <= len(a) {
		return nil
	}
	s := contest.Median(ratios)
	return &s
}

// Clear reports whether the contestant is better (-1) or worse (+1) than the best rival: by
// a tenth at least, with 1 outside the interval. Otherwise it returns 0.
func Clear(ratio *benchmath.Summary) int {
	switch {
	case ratio == nil || math.IsInf(ratio.Hi, 0):
		return 0
	case ratio.Hi < 1 && ratio.Center <= 1-LevelWithin:
		return -1
	case ratio.Lo > 1 && ratio.Center >= 1+LevelWithin:
		return +1
	}
	return 0
}

// LevelWithin is the difference from which readers decide. Where the linker puts functions
// makes as much.
const LevelWithin = 0.1

// Wide reports whether the interval is so wide that it says little, although it may say
// on which side of 1 the ratio is: readers ask about differences of a tenth.
func Wide(ratio *benchmath.Summary) bool {
	return (ratio.Hi-ratio.Lo)/2 > WideInterval*ratio.Center // it may be infinite
}

// WideInterval is the half-width of an interval, relative to the ratio, above which it is
// wide.
const WideInterval = 0.1
