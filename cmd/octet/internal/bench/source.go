package bench

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
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
