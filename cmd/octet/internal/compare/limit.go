package compare

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
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

// What the runtime itself may allocate while a slice runs, for its collections
// and its goroutines. It is spread over the slice's operations, so that it only
// counts where they are few.
const (
	strayAllocs = 64
	strayBytes  = 16 << 10
)

// Crossed returns the contestants of ours that are beyond a limit for sure: not
// only differ the two runs, but the new samples are significantly above the old
// ones with the allowance added.
func Crossed(limits []Limit, old, new *sample.Run) []Change {
	before := index(old)
	var judged []Change
	var above []bool // whether the median of the change of that index is beyond its limit
	for _, l := range limits {
		for k, c := range all(new) {
			was := before[k]
			if was == nil || !c.Ours {
				continue
			}
			slack := 0.0
			switch l.Unit {
			case sample.Bytes:
				slack = strayBytes / float64(max(c.N, 1))
			case sample.Allocs:
				slack = strayAllocs / float64(max(c.N, 1))
			}
			ch := change(k, was, c, l.Unit, l.Factor, slack)
			judged = append(judged, ch)
			above = append(above, ch.New > ch.Old*l.Factor+slack)
		}
	}
	holm(judged)
	var crossed []Change
	for i := range judged {
		if above[i] && judged[i].Significant() {
			crossed = append(crossed, judged[i])
		}
	}
	return crossed
}
