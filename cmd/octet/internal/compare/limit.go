package compare

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A Limit is how much worse a unit may become.
type Limit struct {
	Unit   string
	Factor float64 // 1.1 allows ten percent
}

var limitSyntax = regexp.MustCompile(`^\s*(ns/op|B/op|allocs/op)\s*>\s*\+?([0-9]+(?:\.[0-9]+)?)\s*%\s*$`)

// ParseLimit reads a limit such as "ns/op>+10%".
func ParseLimit(s string) (Limit, error) {
	m := limitSyntax.FindStringSubmatch(s)
	if m == nil {
		return Limit{}, fmt.Errorf("%q is not a limit such as 'ns/op>+10%%'; the units are ns/op, B/op and allocs/op", s)
	}
	percent, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return Limit{}, fmt.Errorf("limit %q: %w", s, err)
	}
	return Limit{m[1], 1 + percent/100}, nil
}

func (l Limit) String() string {
	return fmt.Sprintf("%s>+%.4g%%", l.Unit, (l.Factor-1)*100)
}

// stray is how many allocations in a slice are nobody's fault: those of the
// runtime, for its collections and goroutines, and those of a pool that was not
// yet filled.
const stray = 64

// maxDrift bounds what is granted for a slower machine. Beyond it, the machine is
// not the baseline's.
const maxDrift = 1.25

// Crossed returns the contestants of ours that are beyond a limit for sure: not
// only differ the two runs, but the new samples are significantly above the old
// ones with the allowance added. Two things are granted: where the rivals' time
// rose as well, limits on time rise with its median, up to a quarter; and a few
// stray allocations.
func Crossed(limits []Limit, old, new *sample.Run) []Change {
	grant := min(max(1, Drift(Runs(old, new).Changes)), maxDrift)
	before := index(old)
	var judged []Change // Old is the median with the allowance, for the time being
	var medians []float64
	for _, l := range limits {
		for k, c := range all(new) {
			was := before[k]
			if was == nil || !c.Ours {
				continue
			}
			factor, slack := l.Factor, l.slack(c)
			if l.Unit == sample.Time {
				factor *= grant
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

// slack is what stray allocations amount to in an operation of the contestant's.
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
