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

// choose returns the groups with the rows that --run selects, if there are any. A name
// copied from the list always works, although it may contain characters, such as +, that have
// a meaning in a regular expression.
func (s Source) choose(run string) (chosen []contest.Group, err error) {
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
			chosen = append(chosen, g)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("--run %q matches no row; the groups are %s; bench --list shows their rows", run, strings.Join(names, ", "))
	}
	return chosen, nil
}

// printList prints the groups and those of their rows that --run selects.
func (s Source) printList(w io.Writer, run string) error {
	groups, err := s.choose(run)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, g := range groups {
		fmt.Fprintln(&b, g.Name)
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
