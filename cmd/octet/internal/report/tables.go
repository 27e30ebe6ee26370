package report

import (
	"maps"
	"slices"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// detail says how much the tables show.
type detail bool

const (
	brief detail = false // without allocations, and rows that a quick run cannot tell
	full  detail = true
)

// tables returns the tables of the part: one of octet's promise, then for each quantity one
// of the rows with the same contestants.
func (p *Part) tables(d detail) []grid {
	var out []grid
	if t, some := p.promised(); some {
		out = append(out, t)
	}
	var alike [][]*summary.Row
	for _, r := range p.Rows {
		if r.Promise != nil || d == brief && p.hides(r) {
			continue
		}
		at := slices.IndexFunc(alike, func(rows []*summary.Row) bool { return slices.Equal(contestants(rows[0]), contestants(r)) })
		if at < 0 {
			at = len(alike)
			alike = append(alike, nil)
		}
		alike[at] = append(alike[at], r)
	}
	for _, rows := range alike {
		for _, q := range quantities(rows) {
			if d == brief && q.detail {
				continue
			}
			if t, some := sideBySide(p.group, rows, q); some {
				out = append(out, t)
			}
		}
	}
	return out
}

// A quantity is what a table shows of contestants.
type quantity struct {
	name string
	// cell returns the cell of a contestant, and whether it shows anything.
	cell   func(*summary.Row, *summary.Contestant) (cell, bool)
	detail bool // shown only in full reports
}

// quantities returns what the rows have values of: time, allocations, then further units by
// name.
func quantities(rows []*summary.Row) []quantity {
	out := []quantity{{name: "time", cell: unitCell(contest.Time)}, {name: "allocated", cell: memoryCell, detail: true}}
	units := make(map[string]bool)
	for _, r := range rows {
		for _, c := range r.Contestants {
			for u := range c.Units {
				units[u] = true
			}
		}
	}
	for _, u := range slices.Sorted(maps.Keys(units)) {
		if u != contest.Time && u != contest.Bytes && u != contest.Allocs {
			out = append(out, quantity{name: u, cell: unitCell(u)})
		}
	}
	return out
}

// sideBySide returns a table of one quantity, with a line for each row and a column for each
// contestant, and whether it shows anything.
func sideBySide(group string, rows []*summary.Row, q quantity) (t grid, some bool) {
	t = grid{Title: group + ": " + q.name, Head: append([]string{"row"}, contestants(rows[0])...), Words: 1}
	for _, r := range rows {
		line, any := []cell{{Text: r.Name}}, false
		for i := range r.Contestants {
			here, ok := q.cell(r, &r.Contestants[i])
			line, any = append(line, here), any || ok
		}
		if any {
			t.Rows = append(t.Rows, line)
		}
	}
	return t, len(t.Rows) > 0
}

// marked adds the comparison with the best rival to a cell, if contestants are
// compared in its unit.
func marked(out cell, unit string, r *summary.Row, c *summary.Contestant) cell {
	switch {
	case unit != r.Unit:
	case c.Name == r.Best:
		out.Text += " " + bestMark
	case c.Ours && c.Ratio != nil:
		switch summary.Clear(c.Ratio) {
		case -1:
			out.Text += " " + times(c.Ratio.Center) + spread(*c.Ratio)
			out.Tone = good
		case 0:
			out.Text += " " + levelMark + times(c.Ratio.Center) + spread(*c.Ratio)
		case +1:
			out.Text += " " + times(c.Ratio.Center) + spread(*c.Ratio)
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
		if unit == contest.Time || unit == r.Unit {
			out.Text += spread(s)
		}
		return marked(out, unit, r, c), true
	}
}

func memoryCell(r *summary.Row, c *summary.Contestant) (cell, bool) {
	b := contest.Whole(c.Units[contest.Bytes].Center, contest.Bytes)
	n := contest.Whole(c.Units[contest.Allocs].Center, contest.Allocs)
	if b == 0 && n == 0 {
		return cell{Text: "0"}, false
	}
	in := " in " + figure(n, contest.Allocs)
	if n == 0 {
		in = " in <1"
	}
	return cell{Text: figure(b, contest.Bytes) + in}, true
}
