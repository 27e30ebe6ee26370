package bench

import (
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A Source provides the groups that octet bench can measure.
type Source struct {
	// Groups returns the groups that need no input.
	Groups func() []contest.Group

	// Real returns the group that works on the files below dir, of which it
	// takes no more than limit bytes. RealName and RealRows are its name
	// and the names of its rows; they are known without reading dir, so
	// that it is not read if --run excludes all of them.
	Real     func(dir string, limit int64) (contest.Group, error)
	RealName string
	RealRows []string
}

// A listing is the names of a group and its rows.
type listing struct {
	name  string
	optIn bool
	rows  []string // "group/row", as matched by --run
}

// list returns all groups.
func (s Source) list() []listing {
	var all []listing
	for _, g := range s.Groups() {
		l := listing{name: g.Name, optIn: g.OptIn}
		for _, r := range g.Rows {
			l.rows = append(l.rows, g.Name+"/"+r.Name)
		}
		all = append(all, l)
	}
	if s.RealName != "" {
		l := listing{name: s.RealName}
		for _, row := range s.RealRows {
			l.rows = append(l.rows, s.RealName+"/"+row)
		}
		all = append(all, l)
	}
	return all
}

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

// group reports whether the group may run: one that is opt-in must be named.
func (f filter) group(name string, optIn bool) bool {
	return !optIn || strings.Contains(f.text, name)
}

// printList prints the groups and those of their rows that the filter selects,
// opt-in groups included.
func (s Source) printList(w io.Writer, f filter) error {
	var b strings.Builder
	for _, l := range s.list() {
		rows := slices.DeleteFunc(l.rows, func(row string) bool { return !f.row(row) })
		if len(rows) == 0 {
			continue
		}
		b.WriteString(l.name)
		if l.optIn {
			fmt.Fprintf(&b, " (runs only if --run contains %q)", l.name)
		}
		b.WriteString("\n")
		for _, row := range rows {
			fmt.Fprintf(&b, "  %s\n", row)
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
	for _, l := range s.list() {
		name := l.name
		if l.optIn {
			name += " (by name only)"
			if slices.ContainsFunc(l.rows, f.row) {
				withheld = append(withheld, l.name)
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
func (s Source) choose(f filter, dir string, limit int64) ([]contest.Group, error) {
	groups := s.Groups()
	if slices.ContainsFunc(s.RealRows, func(row string) bool { return f.row(s.RealName + "/" + row) }) {
		if dir == "" {
			var err error
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
		if !f.group(g.Name, g.OptIn) {
			continue
		}
		g.Rows = slices.DeleteFunc(slices.Clone(g.Rows), func(r contest.Row) bool { return !f.row(g.Name + "/" + r.Name) })
		if len(g.Rows) > 0 {
			chosen = append(chosen, g)
		}
	}
	if len(chosen) == 0 {
		return nil, s.noMatch(f)
	}
	return chosen, nil
}

// complete returns the values of --run that begin with what was typed so far:
// groups and, once something was typed, rows. A leading ^ is kept.
func (s Source) complete(typed string) []string {
	anchor := ""
	if rest, ok := strings.CutPrefix(typed, "^"); ok {
		anchor, typed = "^", rest
	}
	var values []string
	for _, l := range s.list() {
		if strings.HasPrefix(l.name, typed) {
			values = append(values, anchor+l.name)
		}
		for _, row := range l.rows {
			if typed == "" || !strings.HasPrefix(row, typed) {
				continue
			}
			if anchor != "" { // ^ makes it a regular expression
				row = anchor + regexp.QuoteMeta(row)
			}
			values = append(values, row)
		}
	}
	return values
}

// standardLibrary returns GOROOT/src of the go command in PATH.
func standardLibrary() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("--dir: cannot ask the go command for GOROOT; give a directory: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "src"), nil
}
