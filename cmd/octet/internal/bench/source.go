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

// A filter selects rows by the value of --run.
type filter struct {
	text string
	re   *regexp.Regexp
}

func newFilter(text string) (filter, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return filter{}, fmt.Errorf("--run: %w", err)
	}
	return filter{text, re}, nil
}

// row reports whether the filter selects the row, given as "group/row". A name
// copied from the list always works, although it may contain characters, such
// as +, that have a meaning in a regular expression.
func (f filter) row(name string) bool {
	return strings.Contains(name, f.text) || f.re.MatchString(name)
}

// rows returns the rows of the group that the filter selects.
func (f filter) rows(g contest.Group) []contest.Row {
	return slices.DeleteFunc(slices.Clone(g.Rows), func(r contest.Row) bool { return !f.row(g.Name + "/" + r.Name) })
}

// group reports whether the group may run: one that is opt-in must be named.
func (f filter) group(name string, optIn bool) bool {
	return !optIn || strings.Contains(f.text, name)
}

// printList prints the groups and those of their rows that the filter selects,
// opt-in groups included.
func (s Source) printList(w io.Writer, f filter) error {
	var b strings.Builder
	for _, g := range s() {
		rows := f.rows(g)
		if len(rows) == 0 {
			continue
		}
		b.WriteString(g.Name)
		if g.OptIn {
			fmt.Fprintf(&b, " (runs only if --run contains %q)", g.Name)
		}
		b.WriteString("\n")
		for _, r := range rows {
			fmt.Fprintf(&b, "  %s/%s\n", g.Name, r.Name)
			if r.About != "" {
				fmt.Fprintf(&b, "      %s\n", r.About)
			}
		}
	}
	if b.Len() == 0 {
		return s.noMatch(f)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// noMatch returns the error for a filter that selects nothing. It says what
// there is.
func (s Source) noMatch(f filter) error {
	var names, withheld []string
	for _, g := range s() {
		name := g.Name
		if g.OptIn {
			name += " (by name only)"
			if len(f.rows(g)) > 0 {
				withheld = append(withheld, g.Name)
			}
		}
		names = append(names, name)
	}
	if len(withheld) > 0 {
		return fmt.Errorf("--run %q matches only rows of %s, which run only if --run contains the group's name",
			f.text, strings.Join(withheld, ", "))
	}
	return fmt.Errorf("--run %q matches no row; the groups are %s; bench --list shows their rows", f.text, strings.Join(names, ", "))
}

// choose returns the groups, each with the rows that the filter selects.
func (s Source) choose(f filter) ([]contest.Group, error) {
	var chosen []contest.Group
	for _, g := range s() {
		if g.Rows = f.rows(g); len(g.Rows) > 0 && f.group(g.Name, g.OptIn) {
			chosen = append(chosen, g)
		}
	}
	if len(chosen) == 0 {
		return nil, s.noMatch(f)
	}
	return chosen, nil
}
