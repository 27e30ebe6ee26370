// Package compare compares a run with a saved one.
//
// Two samples differ if a Mann-Whitney U test finds so
// (golang.org/x/perf/benchmath). A run makes hundreds of comparisons, of which
// one in twenty would show a difference by chance. Their P values are therefore
// corrected together by Holm's method, which keeps the chance of even one false
// report in the whole run below [Alpha].
package compare

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// Alpha is the accepted chance of a false report in a whole run.
const Alpha = 0.05

// A Change compares one unit of one contestant in two runs.
type Change struct {
	Group, Row, Contestant string

	Ours     bool
	Unit     string
	Old, New float64 // medians
	P        float64 // corrected
}

// Delta returns the relative change: 0.1 is ten percent more than before. It is
// infinite if the old value is 0.
func (c *Change) Delta() float64 {
	if c.Old == c.New {
		return 0
	}
	return c.New/c.Old - 1
}

// Significant reports whether the change is unlikely to be chance.
func (c *Change) Significant() bool { return c.P < Alpha }

// Drift returns the median change of the rivals' time. Their code did not
// change, so 1.1 means that the machine became ten percent slower. It is 1
// without rivals.
func Drift(changes []Change) float64 {
	var ratios []float64
	for _, c := range changes {
		if !c.Ours && c.Unit == sample.Time && c.Old > 0 {
			ratios = append(ratios, c.New/c.Old)
		}
	}
	if len(ratios) == 0 {
		return 1
	}
	return summary.Median(ratios).Center
}

// A Result is the comparison of two runs.
type Result struct {
	Old     sample.Env
	Changes []Change // of the contestants that both runs have, in the order of the new run
	Gone    int      // number of contestants that only the old run has
	Fresh   int      // number of contestants that only the new run has
}

// Runs compares two runs.
func Runs(old, new *sample.Run) *Result {
	r := &Result{Old: old.Env}
	before := index(old)
	known := len(before)
	for k, c := range all(new) {
		was, ok := before[k]
		if !ok {
			r.Fresh++
			continue
		}
		known--
		for _, unit := range []string{sample.Time, sample.Bytes, sample.Allocs} {
			whole := func(v float64) float64 { return sample.Whole(v, unit) }
			r.Changes = append(r.Changes, newChange(k, c, unit, each(was.Samples[unit], whole), each(c.Samples[unit], whole)))
		}
	}
	r.Gone = known
	holm(r.Changes)
	return r
}

// A key identifies a contestant in a run.
type key struct{ group, row, contestant string }

// all yields the contestants of a run in order.
func all(r *sample.Run) func(func(key, *sample.Contestant) bool) {
	return func(yield func(key, *sample.Contestant) bool) {
		for _, g := range r.Groups {
			for _, row := range g.Rows {
				for i := range row.Contestants {
					c := &row.Contestants[i]
					if !yield(key{g.Name, row.Name, c.Name}, c) {
						return
					}
				}
			}
		}
	}
}

func index(r *sample.Run) map[key]*sample.Contestant {
	m := make(map[key]*sample.Contestant)
	for k, c := range all(r) {
		m[k] = c
	}
	return m
}

// newChange compares the samples old and new of a unit. The P value is not
// corrected yet.
func newChange(k key, c *sample.Contestant, unit string, old, new []float64) Change {
	return Change{
		Group: k.group, Row: k.row, Contestant: k.contestant,
		Ours: c.Ours,
		Unit: unit,
		Old:  summary.Median(old).Center,
		New:  summary.Median(new).Center,
		P: benchmath.AssumeNothing.Compare(
			benchmath.NewSample(slices.Clone(old), &benchmath.DefaultThresholds),
			benchmath.NewSample(slices.Clone(new), &benchmath.DefaultThresholds)).P,
	}
}

// each returns the results of f for all values.
func each(values []float64, f func(float64) float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = f(v)
	}
	return out
}

// holm corrects the P values of comparisons that were made together: the
// smallest is multiplied by their number, the next by one less, and so on, and
// none ends up below one that was smaller.
func holm(changes []Change) {
	order := make([]*Change, len(changes))
	for i := range changes {
		order[i] = &changes[i]
	}
	slices.SortFunc(order, func(a, b *Change) int { return cmp.Compare(a.P, b.P) })
	least := 0.0
	for i, c := range order {
		least = max(least, min(1, c.P*float64(len(order)-i)))
		c.P = least
	}
}

// Enough reports whether samples of these sizes can show a significant
// difference at all if that many comparisons are made together: the U test's P
// is never below 2 divided by the number of ways to mix the two samples.
func Enough(n1, n2, comparisons int) bool {
	l1, _ := math.Lgamma(float64(n1 + 1))
	l2, _ := math.Lgamma(float64(n2 + 1))
	l, _ := math.Lgamma(float64(n1 + n2 + 1))
	return 2*math.Exp(l1+l2-l)*float64(comparisons) < Alpha
}
