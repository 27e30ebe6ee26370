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

// A listing is a group by the names of its rows.
type listing struct {
	name  string
	optIn bool
	rows  []string // with the group's name in front, as --run takes them
}

// list returns what there is to run.
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

// A filter is what --run says.
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

// row reports whether the filter takes the row: names contain characters, such
// as +, that mean something else in a regular expression, and a name that was
// copied from the list is to work all the same.
func (f filter) row(name string) bool {
	return strings.Contains(name, f.text) || f.re.MatchString(name)
}

// group reports whether the filter lets the group run.
func (f filter) group(name string, optIn bool) bool {
	return !optIn || strings.Contains(f.text, name)
}

// printList prints the groups and those of their rows that the filter takes. A
// group that would not run because of its kind is listed all the same.
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

// noMatch says what there is instead of what was asked for.
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

// choose returns the groups with the rows that the filter takes.
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
// groups, and once something was typed, rows. A ^ in front is kept.
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
			if anchor != "" { // taken as a regular expression, not as it stands
				row = anchor + regexp.QuoteMeta(row)
			}
			values = append(values, row)
		}
	}
	return values
}

// standardLibrary is GOROOT/src, as the go command in PATH has it.
func standardLibrary() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("--dir: cannot ask go for GOROOT, name a directory: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "src"), nil
}
