package report

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A grid is a table in any format: a title, which may be empty, a head, and rows
// of cells.
type grid struct {
	Title string
	Head  []string
	Words int // that many leading columns hold words, the others figures
	Rows  [][]cell
}

// columns returns the grid with the columns of words and those in [from, to).
func (g grid) columns(from, to int) grid {
	out := grid{Title: g.Title, Head: slices.Concat(g.Head[:g.Words], g.Head[from:to]), Words: g.Words}
	for _, line := range g.Rows {
		out.Rows = append(out.Rows, slices.Concat(line[:g.Words], line[from:to]))
	}
	return out
}

// A cell is a text and how to take it.
type cell struct {
	Text string
	Tone tone
}

type tone string

const (
	plain tone = ""
	good  tone = "good"
	bad   tone = "bad"
)

// tables returns the group's tables, family by family.
func (g *Group) tables() []grid {
	var out []grid
	for _, f := range families(g.Rows) {
		if f.sparse() {
			out = append(out, f.byContestant(g.Name))
		} else {
			out = append(out, f.sideBySide(g.Name)...)
		}
	}
	return out
}

// A family is rows whose names differ in the last key's value only.
type family struct {
	prefix string // what they have in common, "" if that is nothing
	key    string // the last key; "" if they have different ones
	rows   []*summary.Row
}

// families groups rows by all of their name but the last key, in the order in
// which they first appear.
func families(rows []summary.Row) []*family {
	var out []*family
	for i := range rows {
		r := &rows[i]
		prefix, last := "", r.Name
		if at := strings.LastIndexByte(r.Name, '/'); at >= 0 {
			prefix, last = r.Name[:at], r.Name[at+1:]
		}
		key, _, _ := strings.Cut(last, "=")
		at := slices.IndexFunc(out, func(f *family) bool { return f.prefix == prefix })
		if at < 0 {
			out = append(out, &family{prefix: prefix, key: key})
			at = len(out) - 1
		}
		f := out[at]
		if f.key != key {
			f.key = ""
		}
		f.rows = append(f.rows, r)
	}
	return out
}

// label is the row's name in its family's table.
func (f *family) label(r *summary.Row) string {
	last := strings.TrimPrefix(r.Name, f.prefix+"/")
	if f.key == "" {
		return last
	}
	_, value, _ := strings.Cut(last, "=")
	return value
}

// contestants are the names that appear in the family, in order.
func (f *family) contestants() []string {
	var names []string
	for _, r := range f.rows {
		for _, c := range r.Contestants {
			if !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// sparse reports whether the contestants are better not set side by side: there
// is nothing to set below one another, or the table would be half empty.
func (f *family) sparse() bool {
	cells := 0
	for _, r := range f.rows {
		cells += len(r.Contestants)
	}
	return len(f.rows) == 1 || cells*2 < len(f.rows)*len(f.contestants())
}

// title is the group's name and what the family's rows have in common.
func (f *family) title(group string) string {
	return strings.TrimSuffix(group+" "+f.prefix, " ")
}

// A quantity is what a table or a column shows of a contestant.
type quantity struct {
	name string
	// cell returns what there is to show, and whether that is more than
	// nothing.
	cell func(*summary.Row, *summary.Contestant) (cell, bool)
	// sparse leaves out rows and contestants that have nothing to show.
	sparse bool
}

// of reports whether the contestant of that name has anything to show in any of
// the rows.
func (q quantity) of(rows []*summary.Row, name string) bool {
	return slices.ContainsFunc(rows, func(r *summary.Row) bool {
		c := find(r, name)
		if c == nil {
			return false
		}
		_, some := q.cell(r, c)
		return some
	})
}

// quantities are those of which the family has any: time, then rate, then
// allocations, then the further units by name.
func (f *family) quantities() []quantity {
	out := []quantity{
		{name: "time", cell: timeCell},
		{name: "rate", cell: rateCell, sparse: true},
		{name: "allocated", cell: memoryCell, sparse: true},
	}
	for _, unit := range furtherUnits(f.rows) {
		out = append(out, quantity{name: unit, cell: unitCell(unit), sparse: true})
	}
	return slices.DeleteFunc(out, func(q quantity) bool {
		return !slices.ContainsFunc(f.contestants(), func(name string) bool { return q.of(f.rows, name) })
	})
}

// furtherUnits are the units beside time, bytes and allocations.
func furtherUnits(rows []*summary.Row) []string {
	units := make(map[string]bool)
	for _, r := range rows {
		for _, c := range r.Contestants {
			for u := range c.Units {
				units[u] = true
			}
		}
	}
	for _, u := range []string{sample.Time, sample.Bytes, sample.Allocs} {
		delete(units, u)
	}
	return slices.Sorted(maps.Keys(units))
}

// sideBySide sets the contestants side by side, in a table for each quantity.
func (f *family) sideBySide(group string) []grid {
	key := f.key
	if key == "" {
		key = "row"
	}
	var out []grid
	for _, q := range f.quantities() {
		names := f.contestants()
		if q.sparse {
			names = slices.DeleteFunc(names, func(name string) bool { return !q.of(f.rows, name) })
		}
		t := grid{Title: f.title(group) + ": " + q.name, Head: append([]string{key}, names...), Words: 1}
		for _, r := range f.rows {
			line := []cell{{Text: f.label(r)}}
			any := false
			for _, name := range names {
				var here cell
				if c := find(r, name); c != nil {
					var some bool
					here, some = q.cell(r, c)
					any = any || some
				}
				line = append(line, here)
			}
			if any {
				t.Rows = append(t.Rows, line)
			}
		}
		out = append(out, t)
	}
	return out
}

// byContestant gives every contestant a line with all its quantities.
func (f *family) byContestant(group string) grid {
	all := f.quantities()
	t := grid{Head: []string{"row", "contestant"}, Words: 2}
	if f.prefix != "" {
		t.Title = f.title(group)
	}
	for _, q := range all {
		t.Head = append(t.Head, q.name)
	}
	for _, r := range f.rows {
		for i := range r.Contestants {
			c := &r.Contestants[i]
			line := []cell{{}, {Text: c.Name}}
			if i == 0 {
				line[0].Text = strings.TrimPrefix(strings.TrimPrefix(r.Name, f.prefix), "/")
			}
			for _, q := range all {
				here, _ := q.cell(r, c)
				line = append(line, here)
			}
			t.Rows = append(t.Rows, line)
		}
	}
	return t
}

func find(r *summary.Row, name string) *summary.Contestant {
	for i := range r.Contestants {
		if r.Contestants[i].Name == name {
			return &r.Contestants[i]
		}
	}
	return nil
}

// timeCell shows the median time with its spread, and octet's ratio to the best
// rival, whose cell is marked.
func timeCell(r *summary.Row, c *summary.Contestant) (cell, bool) {
	s := c.Units[sample.Time]
	out := cell{Text: figure(s.Center, sample.Time) + spread(s)}
	switch {
	case c.Ours && c.Ratio != nil:
		out.Text += " " + times(c.Ratio.Center)
		switch summary.Clear(c.Ratio) {
		case -1:
			out.Tone = good
		case +1:
			out.Tone = bad
		}
	case c.Name == r.Best:
		out.Text += " *"
	}
	return out, true
}

func rateCell(r *summary.Row, c *summary.Contestant) (cell, bool) {
	if c.Floor {
		return cell{}, false
	}
	v := r.Rate(c)
	if v == 0 || math.IsInf(v, 0) {
		return cell{}, false
	}
	return cell{Text: figure(v, rate)}, true
}

func memoryCell(_ *summary.Row, c *summary.Contestant) (cell, bool) {
	b := sample.Whole(c.Units[sample.Bytes].Center, sample.Bytes)
	n := sample.Whole(c.Units[sample.Allocs].Center, sample.Allocs)
	if b == 0 && n == 0 {
		return cell{Text: "0"}, false
	}
	in := " in " + figure(n, sample.Allocs)
	if n == 0 {
		in = " in <1"
	}
	return cell{Text: figure(b, sample.Bytes) + in}, true
}

func unitCell(unit string) func(*summary.Row, *summary.Contestant) (cell, bool) {
	return func(_ *summary.Row, c *summary.Contestant) (cell, bool) {
		s, ok := c.Units[unit]
		if !ok {
			return cell{}, false
		}
		return cell{Text: figure(s.Center, unit)}, true
	}
}
