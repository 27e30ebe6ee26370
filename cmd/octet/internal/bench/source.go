package bench

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/compare"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
)

// A Source is where the contests come from.
type Source struct {
	// Groups returns the groups that need no input.
	Groups func() []contest.Group

	// Real returns the group that works on the files below dir, as far as
	// they fit into limit bytes. RealName is its name and RealRows are those
	// of its rows, so that it is left alone where --run leaves them out.
	Real     func(dir string, limit int64) (contest.Group, error)
	RealName string
	RealRows []string
}

// choose returns the groups with the rows that match the pattern.
func (s Source) choose(pattern, dir string, limit int64) ([]contest.Group, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	groups := s.Groups()
	if slices.ContainsFunc(s.RealRows, func(row string) bool { return re.MatchString(s.RealName + "/" + row) }) {
		if dir == "" {
			if dir, err = standardLibrary(); err != nil {
				return nil, err
			}
		}
		g, err := s.Real(dir, limit)
		if err != nil {
			return nil, fmt.Errorf("--dir: %w", err)
		}
		groups = append(groups, g)
	}

	var chosen []contest.Group
	for _, g := range groups {
		var rows []contest.Row
		for _, r := range g.Rows {
			if re.MatchString(g.Name + "/" + r.Name) {
				rows = append(rows, r)
			}
		}
		if len(rows) > 0 {
			g.Rows = rows
			chosen = append(chosen, g)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("--run %q matches no row", pattern)
	}
	return chosen, nil
}

// standardLibrary is GOROOT/src, as the go command in PATH has it.
func standardLibrary() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("--dir: cannot ask go for GOROOT, name a directory: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "src"), nil
}

// enough refuses limits that no change could cross significantly: there would be
// too few samples for so many comparisons.
func enough(limits []compare.Limit, old *sample.Run, groups []contest.Group, rounds int) error {
	if len(limits) == 0 {
		return nil
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
	if !compare.Enough(before, rounds, judged) {
		return fmt.Errorf("--fail-if: %d rounds, and %d in the baseline, are too few for a significant change in %d comparisons; "+
			"take more --rounds or --run fewer rows", rounds, before, judged)
	}
	return nil
}
