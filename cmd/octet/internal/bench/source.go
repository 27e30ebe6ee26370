package bench

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A Source returns the groups that octet bench can measure.
type Source func() []contest.Group

// matching returns the groups with the rows that --run selects, if there are any. A name
// copied from the list always works, although it may contain characters, such as +, that have
// a meaning in a regular expression.
func (s Source) matching(run string) (matching []contest.Group, err error) {
	re, err := regexp.Compile(run)
	if err != nil {
		return nil, fmt.Errorf("--run: %w", err)
	}
	var names []string
	for _, g := range s() {
		names = append(names, g.Name)
		g.Rows = slices.DeleteFunc(g.Rows, func(r contest.Row) bool {
			name := g.Name + "/" + r.Name
			return !strings.Contains(name, run) && !re.MatchString(name)
		})
		if len(g.Rows) > 0 {
			matching = append(matching, g)
		}
	}
	if len(matching) == 0 {
		return nil, fmt.Errorf("--run %q matches no row; the groups are %s; bench --list shows their rows", run, strings.Join(names, ", "))
	}
	return matching, nil
}

// choose returns the groups to measure: those that are opt-in must be named.
func (s Source) choose(run string) ([]contest.Group, error) {
	groups, err := s.matching(run)
	if err != nil {
		return nil, err
	}
	var withheld []string
	groups = slices.DeleteFunc(groups, func(g contest.Group) bool {
		if !g.OptIn || strings.Contains(run, g.Name) {
			return false
		}
		withheld = append(withheld, g.Name)
		return true
	})
	if len(groups) == 0 {
		return nil, fmt.Errorf("--run %q matches only rows of %s, which run only if --run contains the group's name", run, strings.Join(withheld, ", "))
	}
	return groups, nil
}

// printList prints the groups and those of their rows that --run selects, opt-in groups
// included.
func (s Source) printList(w io.Writer, run string) error {
	groups, err := s.matching(run)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, g := range groups {
		b.WriteString(g.Name)
		if g.OptIn {
			fmt.Fprintf(&b, " (runs only if --run contains %q)", g.Name)
		}
		b.WriteString("\n")
		for _, r := range g.Rows {
			fmt.Fprintf(&b, "  %s/%s\n", g.Name, r.Name)
			if r.About != "" {
				fmt.Fprintf(&b, "      %s\n", r.About)
			}
		}
	}
	_, err = io.WriteString(w, b.String())
	return err
}
