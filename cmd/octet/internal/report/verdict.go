package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A tally counts how octet did in rows. Those that count by their ratios (clearly) are in one of
// four lists; level rows whose interval is wide are unclear instead.
type tally struct {
	faster, level, slower, unclear []*row

	kept, broken int // rows that count by octet's promise
	aside        int // rows that do not count
}

// tallied returns the tally of rows.
func tallied(rows []*row) (t tally) {
	for _, r := range rows {
		switch {
		case r.promise != nil && r.promise.kept():
			t.kept++
		case r.promise != nil:
			t.broken++
		case r.ratio == nil || r.Aside != "":
			t.aside++
		case clearly(r.ratio) < 0:
			t.faster = append(t.faster, r)
		case clearly(r.ratio) > 0:
			t.slower = append(t.slower, r)
		case r.unclear():
			t.unclear = append(t.unclear, r)
		default:
			t.level = append(t.level, r)
		}
	}
	slices.SortStableFunc(t.slower, func(a, b *row) int { return cmp.Compare(b.ratio.Center, a.ratio.Center) })
	return t
}

func (t *tally) rows() int     { return len(t.faster) + len(t.level) + len(t.slower) + len(t.unclear) }
func (t *tally) promises() int { return t.kept + t.broken }

// line returns the group's line of the verdict's table.
func (t *tally) line(group string) table.Row {
	number := func(rs []*row, color text.Color) string {
		if len(rs) == 0 {
			return "0"
		}
		return color.Sprint(len(rs))
	}
	typical, worst := "", ""
	if told := slices.Concat(t.slower, t.level, t.faster); len(told) > 0 {
		var ratios []float64
		for _, r := range told {
			ratios = append(ratios, r.ratio.Center)
		}
		r := told[slices.Index(ratios, slices.Max(ratios))]
		typical = times(contest.Median(ratios).Center)
		worst = fmt.Sprintf("%s %s (%s)", times(r.ratio.Center), r.Name, r.best.Name)
	}
	return table.Row{group, number(t.faster, good), len(t.level), number(t.slower, bad), len(t.unclear), typical, worst}
}

// A verdict is the outcome of a run, as text.
type verdict struct {
	lines  []string    // the sentences that say it
	groups []table.Row // a line for each group in which a row counts by its ratio
	notes  []string    // what the words mean
}

// judge returns the verdict on the groups of a run, in which other programs used that share of
// the processors.
func judge(groups []group, others float64) (v verdict) {
	if others > 0 {
		v.lines = append(v.lines, fmt.Sprintf("No verdict: this machine was loaded. Other programs used %.0f %% of its processors and left hardly any idle, "+
			"so that the figures say little. Stop them, and measure again.", 100*others))
		return v
	}
	var rows []*row
	for _, g := range groups {
		rows = append(rows, g.rows...)
		if t := tallied(g.rows); t.rows() > 0 {
			v.groups = append(v.groups, t.line(g.Name))
		}
	}
	all := tallied(rows)
	if all.promises()+all.rows() == 0 {
		v.lines = append(v.lines, "No row was measured in which octet has a rival.")
		return v
	}
	v.lines = append(v.lines, decisive(&all, rows))
	if all.promises() > 0 {
		v.notes = append(v.notes, fmt.Sprintf("The promise: at most %v times the memory of a sync.Pool, and %d MiB, and at most %v times its processor time, or %v where octet needs less than half of the memory.",
			memoryFactor, memoryExtra>>20, timeFactor, smallTimeFactor))
	}
	if all.rows() > 0 {
		v.lines = append(v.lines, compared(&all))
		v.notes = append(v.notes, fmt.Sprintf("Level: octet's ratio to the best rival differs from 1 by less than %v, or its 95 %% confidence interval contains 1; "+
			"unclear: level, and the interval is wider than ±%.0f %%. ", levelWithin, 100*wideInterval)+
			"Typical: the median of the other ratios. Worst row: the row with the highest, and its best rival.")
	}
	if all.aside > 0 {
		v.notes = append(v.notes, fmt.Sprintf("Not counted: %s in which octet does not compete with rivals. They come last in their groups, with the reason.", count(all.aside)))
	}
	return v
}

// decisive says what a reader decides by: in how many patterns octet keeps its promise, what
// allocating costs beside a pool, and where octet is slower.
func decisive(t *tally, rows []*row) string {
	var s []string
	if t.promises() > 0 {
		s = append(s, fmt.Sprintf("Octet keeps its promise in %d of %d patterns of use.", t.kept, t.promises()))
	}
	if octet, allocated, ok := allocating(rows); ok {
		s = append(s, fmt.Sprintf("A slice of 1 KiB takes %s from octet, and %s to allocate.", figure(octet), figure(allocated)))
	}
	if t.rows() > 0 {
		s = append(s, slower(t))
	}
	return strings.Join(s, " ")
}

// allocating returns the time of a pair of New and Release, and that of make in the same row.
func allocating(rows []*row) (octet, allocated float64, ok bool) {
	for _, r := range rows {
		at := slices.IndexFunc(r.Contestants, func(c contest.Contestant) bool { return c.Name == "make" })
		if at > 0 && r.ratio != nil && strings.HasSuffix(r.Name, "mode=serial/size=1024") {
			return median(r.octet, contest.Time), median(&r.Contestants[at], contest.Time), true
		}
	}
	return 0, 0, false
}

// slower says where octet is slower, and by how much, the worst rows first.
func slower(t *tally) string {
	if len(t.slower) == 0 {
		return "Octet is nowhere slower than the best rival."
	}
	const most = 3
	var s []string
	for _, r := range t.slower[:min(most, len(t.slower))] {
		by := median(r.octet, r.unit) - median(r.best, r.unit)
		s = append(s, fmt.Sprintf("by %s on %s (%s)", figure(by), r.Name, r.best.Name))
	}
	if n := len(t.slower) - most; n > 0 {
		s = append(s, fmt.Sprintf("and on %d more", n))
	}
	return "Octet is slower " + strings.Join(s, ", ") + "."
}

// compared says how octet compares with its rivals.
func compared(t *tally) string {
	s := fmt.Sprintf("It is faster than the best rival on %d of %s, level on %d, slower on %d.", len(t.faster), count(t.rows()), len(t.level), len(t.slower))
	if n := len(t.unclear); n > 0 {
		s += fmt.Sprintf(" On %d that is unclear: for more, allow more --time, or --run fewer rows.", n)
	}
	return s
}
