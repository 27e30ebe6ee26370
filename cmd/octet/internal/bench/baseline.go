package bench

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/octet-go/octet/cmd/octet/internal/compare"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// limits parses the --fail-if flags.
func (f *flags) limits() ([]compare.Limit, error) {
	var limits []compare.Limit
	for _, s := range f.failIf {
		l, err := compare.ParseLimit(s)
		if err != nil {
			return nil, fmt.Errorf("--fail-if: %w", err)
		}
		limits = append(limits, l)
	}
	if len(limits) > 0 && f.baseline == "" {
		return nil, errors.New("--fail-if needs a --baseline to compare with")
	}
	return limits, nil
}

// old reads the saved run; it returns nil if there is no --baseline.
func (f *flags) old() (*sample.Run, error) {
	if f.baseline == "" {
		return nil, nil
	}
	data, err := os.ReadFile(f.baseline)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %w", err)
	}
	run, err := sample.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("--baseline: %s: %w", f.baseline, err)
	}
	return run, nil
}

// fewest returns how many rounds are needed at least so that a significant
// change could cross one of the limits; 0 without limits.
func (f *flags) fewest(limits []compare.Limit, old *sample.Run, groups []contest.Group) (int, error) {
	if len(limits) == 0 {
		return 0, nil
	}
	judged := 0
	for _, g := range groups {
		for _, r := range g.Rows {
			for _, c := range r.Contestants {
				if c.Ours {
					judged += len(limits)
				}
			}
		}
	}
	before := 0
	for _, g := range old.Groups {
		for _, r := range g.Rows {
			if n := r.Rounds(); before == 0 || n < before {
				before = n
			}
		}
	}
	for n := 1; n <= f.rounds; n++ {
		if compare.Enough(before, n, judged) {
			return n, nil
		}
	}
	return 0, fmt.Errorf("--fail-if: %d rounds, and %d in the baseline, are too few to find a significant change among %d comparisons; "+
		"take more --rounds or --run fewer rows", f.rounds, before, judged)
}

// judge prints which limits were crossed, and returns ErrCrossed if any was.
func judge(run, old *sample.Run, limits []compare.Limit, stderr io.Writer) error {
	if len(limits) == 0 {
		return nil
	}
	crossed := compare.Crossed(limits, old, run)
	for _, c := range crossed {
		fmt.Fprintf(stderr, "%s/%s: %s: %s: %.4g before, %.4g now\n", c.Group, c.Row, c.Contestant, c.Unit, c.Old, c.New)
	}
	if len(crossed) > 0 {
		return ErrCrossed
	}
	return nil
}
