package compare

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A Limit bounds how much worse a unit may become.
type Limit struct {
	Unit   string
	Factor float64 // 1.1 allows ten percent
}

// maxPercent is far beyond any use, and keeps what is multiplied with it finite.
const maxPercent = 1_000_000

var limitSyntax = regexp.MustCompile(`^\s*(ns/op|B/op|allocs/op)\s*>\s*\+?([0-9]+(?:\.[0-9]+)?)\s*%\s*$`)

// ParseLimit reads a limit such as "ns/op>+10%".
func ParseLimit(s string) (Limit, error) {
	m := limitSyntax.FindStringSubmatch(s)
	if m == nil {
		return Limit{}, fmt.Errorf("%q is not a limit such as 'ns/op>+10%%'; the units are ns/op, B/op and allocs/op", s)
	}
	percent, err := strconv.ParseFloat(m[2], 64)
	if err != nil || percent > maxPercent {
		return Limit{}, fmt.Errorf("limit %q is above %d%%", s, maxPercent)
	}
	return Limit{m[1], 1 + percent/100}, nil
}

func (l Limit) String() string {
	return fmt.Sprintf("%s>+%.4g%%", l.Unit, (l.Factor-1)*100)
}

// stray is how many allocations in a slice may be due to the runtime, for its
// collections and goroutines, or to a pool that was not filled yet.
const stray = 64

// maxDrift bounds the allowance for a slower machine. Beyond it, the machine is
// not the one that made the baseline.
const maxDrift = 1.25

// grants returns the allowance on a row's time, as a factor of at least 1. The
// code of the rivals did not change, so their time shows what happened to the
// machine. If all of them became slower, octet is allowed the same slowdown, up
// to maxDrift. If those in the row became slower than the others, something
// disturbed the row, for example another program that needed the second
// processor, and octet is allowed all of that.
func grants(changes []Change) func(key) float64 {
	all := Drift(changes)
	rows := make(map[key][]Change)
	for _, c := range changes {
		k := key{group: c.Group, row: c.Row}
		rows[k] = append(rows[k], c)
	}
	return func(k key) float64 {
		row := Drift(rows[key{group: k.group, row: k.row}])
		return min(max(1, all), maxDrift) * max(1, row/all)
	}
}

// Crossed returns the contestants of octet that are certainly beyond a limit:
// not only do the two runs differ, but the new samples are significantly above
// the old ones after the limit and the allowance are added.
func Crossed(limits []Limit, old, new *sample.Run) []Change {
	grant := grants(Runs(old, new).Changes)
	before := index(old)
	var judged []Change // Old is the median with limit and allowance, until the end
	var medians []float64
	for _, l := range limits {
		for k, c := range all(new) {
			was := before[k]
			if was == nil || !c.Ours {
				continue
			}
			factor, slack := l.Factor, l.slack(c)
			if l.Unit == sample.Time {
				factor *= grant(k)
			}
			allowed := each(was.Samples[l.Unit], func(v float64) float64 { return v*factor + slack })
			judged = append(judged, newChange(k, c, l.Unit, allowed, c.Samples[l.Unit]))
			medians = append(medians, summary.Median(was.Samples[l.Unit]).Center)
		}
	}
	holm(judged)
	var crossed []Change
	for i, c := range judged {
		if c.New > c.Old && c.Significant() {
			c.Old = medians[i]
			crossed = append(crossed, c)
		}
	}
	return crossed
}

// slack returns what stray allocations can amount to per operation of the
// contestant.
func (l Limit) slack(c *sample.Contestant) float64 {
	perOp := stray / float64(c.N)
	switch l.Unit {
	case sample.Allocs:
		return perOp
	case sample.Bytes:
		bytes, allocs := summary.Median(c.Samples[sample.Bytes]).Center, summary.Median(c.Samples[sample.Allocs]).Center
		if allocs == 0 {
			return 0
		}
		return perOp * bytes / allocs
	}
	return 0
}
