package report

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A grid is a table for any format: an optional title, a head, and rows of
// cells.
type grid struct {
	Title string
	Head  []string
	Words int // number of leading columns with words; the others hold figures
	Tail  int // number of columns with words at the end
	Rows  [][]cell
}

// Word reports whether column i holds words.
func (g grid) Word(i int) bool { return i < g.Words || i >= len(g.Head)-g.Tail }

// columns returns a grid with the leading columns of words and the columns in
// [from, to).
func (g grid) columns(from, to int) grid {
	out := grid{Title: g.Title, Head: slices.Concat(g.Head[:g.Words], g.Head[from:to]), Words: g.Words}
	for _, line := range g.Rows {
		out.Rows = append(out.Rows, slices.Concat(line[:g.Words], line[from:to]))
	}
	return out
}

// A cell is a text and its tone.
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

// detail says how much the tables show.
type detail bool

const (
	brief detail = false // without tables of rates and allocations
	full  detail = true
)

// tables returns the tables of the part, family by family.
func (p *Part) tables(d detail) []grid {
	var out []grid
	if t, some := p.promised(); some {
		out = append(out, t)
	}
	compared := slices.DeleteFunc(slices.Clone(p.Rows), func(r *summary.Row) bool { return r.Promise != nil })
	for _, f := range families(compared) {
		quantities := f.quantities()
		further := slices.ContainsFunc(quantities, func(q quantity) bool { return !q.known })
		if len(f.rows) == 1 && (further || d == full && len(quantities) > 1) {
			out = append(out, f.list(p.group, quantities))
			continue
		}
		for _, q := range quantities {
			if d == full || !q.detail {
				out = append(out, f.sideBySide(p.group, q))
			}
		}
	}
	return out
}

// A quantity is what a table or a column shows of contestants.
type quantity struct {
	name string
	// cell returns the cell of a contestant, and whether it shows anything.
	cell   func(*summary.Row, *summary.Contestant) (cell, bool)
	known  bool // time, rate or allocations, not a further unit
	sparse bool // its tables leave out rows and contestants without a value
	detail bool // shown only in full reports
}

// of reports whether the contestant of that name has a value in any of the
// rows.
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

// quantities returns the quantities that the family has values of: time, rate,
// allocations, then further units by name.
func (f *family) quantities() []quantity {
	out := []quantity{
		{name: "time", cell: unitCell(sample.Time), known: true},
		{name: "rate", cell: rateCell, known: true, sparse: true, detail: true},
		{name: "allocated", cell: memoryCell, known: true, sparse: true, detail: true},
	}
	for _, unit := range furtherUnits(f.rows) {
		out = append(out, quantity{name: unit, cell: unitCell(unit), sparse: true})
	}
	return slices.DeleteFunc(out, func(q quantity) bool {
		return !slices.ContainsFunc(f.contestants, func(name string) bool { return q.of(f.rows, name) })
	})
}

// furtherUnits returns the units of the rows other than time, bytes and
// allocations.
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

// sideBySide returns a table of one quantity, with a line for each row and a
// column for each contestant.
func (f *family) sideBySide(group string, q quantity) grid {
	common, keys := f.labels()
	if len(keys) == 0 { // a single row is labelled by its last key
		at := strings.LastIndexByte(common, '/') + 1
		key, _, _ := strings.Cut(common[at:], "=")
		common, keys = strings.TrimSuffix(common[:at], "/"), []string{key}
	}
	names := slices.Clone(f.contestants)
	if q.sparse {
		names = slices.DeleteFunc(names, func(name string) bool { return !q.of(f.rows, name) })
	}
	t := grid{
		Title: strings.TrimSuffix(group+" "+common, " ") + ": " + q.name,
		Head:  slices.Concat(keys, names),
		Words: len(keys),
	}
	for _, r := range f.rows {
		var line []cell
		for _, key := range keys {
			line = append(line, cell{Text: value(r.Name, key)})
		}
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
	return t
}

// list returns a table of the family's only row, with a line for each
// contestant and a column for each quantity.
func (f *family) list(group string, quantities []quantity) grid {
	r := f.rows[0]
	t := grid{Title: group + " " + r.Name, Head: []string{"contestant"}, Words: 1}
	for _, q := range quantities {
		t.Head = append(t.Head, q.name)
	}
	for i := range r.Contestants {
		c := &r.Contestants[i]
		line := []cell{{Text: c.Name}}
		for _, q := range quantities {
			here, _ := q.cell(r, c)
			line = append(line, here)
		}
		t.Rows = append(t.Rows, line)
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

// marked adds the comparison with the best rival to a cell, if contestants are
// compared in its unit.
func marked(out cell, unit string, r *summary.Row, c *summary.Contestant) cell {
	if unit != r.Unit {
		return out
	}
	switch {
	case c.Floor:
		out.Text += " " + floorMark
	case c.Name == r.Best:
		out.Text += " " + bestMark
	case c.Ours && c.Ratio != nil && c.Name != r.Against:
		switch summary.Clear(c.Ratio) {
		case -1:
			out.Text += " " + times(c.Ratio.Center)
			out.Tone = good
		case 0:
			out.Text += " " + levelMark + times(c.Ratio.Center)
		case +1:
			out.Text += " " + times(c.Ratio.Center)
			out.Tone = bad
		}
	}
	return out
}

// unitCell returns the cells of a unit: the median, with its spread if the unit
// is time or contestants are compared in it.
func unitCell(unit string) func(*summary.Row, *summary.Contestant) (cell, bool) {
	return func(r *summary.Row, c *summary.Contestant) (cell, bool) {
		s, ok := c.Units[unit]
		if !ok {
			return cell{}, false
		}
		out := cell{Text: figure(s.Center, unit)}
		if unit == sample.Time || unit == r.Unit {
			out.Text += spread(s)
		}
		return marked(out, unit, r, c), true
	}
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

func memoryCell(r *summary.Row, c *summary.Contestant) (cell, bool) {
	b := sample.Whole(c.Units[sample.Bytes].Center, sample.Bytes)
	n := sample.Whole(c.Units[sample.Allocs].Center, sample.Allocs)
	out := cell{Text: "0"}
	some := b != 0 || n != 0
	if some {
		in := " in " + figure(n, sample.Allocs)
		if n == 0 {
			in = " in <1"
		}
		out.Text = figure(b, sample.Bytes) + in
	}
	return marked(marked(out, sample.Bytes, r, c), sample.Allocs, r, c), some
}
