package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A Verdict is the outcome of a run, as text.
type Verdict struct {
	Lines []string // the sentences that say it
	Table grid     // a line for each group; empty if no row counts by its ratio
	Notes []string // what the words mean
}

// verdict returns the document's verdict.
func (d *Doc) verdict() Verdict {
	if others := d.Run.Others; others > 0 {
		return Verdict{Lines: []string{fmt.Sprintf("No verdict: this machine was loaded. Other programs used %.0f %% of its processors and left hardly any idle, "+
			"so that the figures say little. Stop them, and measure again.", 100*others)}}
	}
	v := Verdict{Table: grid{
		Head:  []string{"group", "faster", "level", "slower", "unclear", "typical", "worst row"},
		Words: 1,
	}}
	var all summary.Verdict
	for i := range d.Verdicts {
		g := &d.Verdicts[i]
		all.Faster += g.Faster
		all.Level += g.Level
		all.Slower += g.Slower
		all.Unclear += g.Unclear
		all.Aside += g.Aside
		all.Kept += g.Kept
		all.Broken = append(all.Broken, g.Broken...)
		all.SlowerRows = append(all.SlowerRows, g.SlowerRows...)
		if g.Rows() > 0 {
			v.Table.Rows = append(v.Table.Rows, verdictLine(g))
		}
	}
	if all.Promises() > 0 || all.Rows() > 0 {
		v.Lines = append(v.Lines, d.decisive(&all))
	}
	if all.Promises() > 0 {
		v.Notes = append(v.Notes, promise)
	}
	if all.Rows() > 0 {
		v.Lines = append(v.Lines, compared(&all))
		v.Notes = append(v.Notes, fmt.Sprintf("Level: octet's ratio to the best rival differs from 1 by less than %v, or its 95 %% confidence interval contains 1; "+
			"unclear: level, and the interval is wider than ±%.0f %%. ", summary.LevelWithin, 100*summary.WideInterval)+
			"Typical: the median of the other ratios. Worst row: the row with the highest, and its best rival.")
	}
	if all.Aside > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("Not counted: %s in which octet does not compete with rivals. They come last in their groups, with the reason.", countRows(all.Aside)))
	}
	if len(v.Lines) == 0 {
		v.Lines = []string{"No row was measured in which octet has a rival."}
	}
	return v
}

// decisive says what a reader decides by: in how many patterns octet keeps its promise, what
// allocating costs beside a pool, and where octet is slower.
func (d *Doc) decisive(v *summary.Verdict) string {
	var s []string
	if v.Promises() > 0 {
		s = append(s, fmt.Sprintf("Octet keeps its promise in %d of %d patterns of use.", v.Kept, v.Promises()))
	}
	if pool, alloc := d.allocating(); pool > 0 {
		s = append(s, fmt.Sprintf("A slice of 1 KiB takes %s from octet, and %s to allocate.", figure(pool, contest.Time), figure(alloc, contest.Time)))
	}
	if v.Rows() > 0 {
		s = append(s, slower(v.SlowerRows))
	}
	return strings.Join(s, " ")
}

// allocating returns the time of a pair of New and Release, and that of make, or 0.
func (d *Doc) allocating() (pool, alloc float64) {
	for i := range d.Groups {
		for j := range d.Groups[i].Rows {
			r := &d.Groups[i].Rows[j]
			if octet, made := r.Octet(), r.Named("make"); strings.HasSuffix(r.Name, "mode=serial/size=1024") && octet != nil && made != nil {
				return octet.Units[contest.Time].Center, made.Units[contest.Time].Center
			}
		}
	}
	return 0, 0
}

// slower says where octet is slower, and by how much, the worst rows first.
func slower(rows []summary.Comparison) string {
	if len(rows) == 0 {
		return "Octet is nowhere slower than the best rival."
	}
	const most = 3
	slices.SortStableFunc(rows, func(a, b summary.Comparison) int { return cmp.Compare(b.Ratio, a.Ratio) })
	var s []string
	for _, r := range rows[:min(most, len(rows))] {
		s = append(s, fmt.Sprintf("by %s on %s (%s)", figure(r.By, r.Unit), r.Row, r.Rival))
	}
	if n := len(rows) - most; n > 0 {
		s = append(s, fmt.Sprintf("and on %d more", n))
	}
	return "Octet is slower " + strings.Join(s, ", ") + "."
}

// compared says how octet compares with its rivals.
func compared(v *summary.Verdict) string {
	s := fmt.Sprintf("It is faster than the best rival on %d of %s, level on %d, slower on %d.", v.Faster, countRows(v.Rows()), v.Level, v.Slower)
	if v.Unclear > 0 {
		s += fmt.Sprintf(" On %d that is unclear: for more, allow more --time, or --run fewer rows.", v.Unclear)
	}
	return s
}

func verdictLine(v *summary.Verdict) []cell {
	count := func(n int, t tone) cell {
		if n == 0 {
			t = plain
		}
		return cell{fmt.Sprint(n), t}
	}
	return []cell{
		{Text: v.Group},
		count(v.Faster, good),
		count(v.Level, plain),
		count(v.Slower, bad),
		count(v.Unclear, plain),
		{Text: times(v.Typical)},
		{Text: fmt.Sprintf("%s %s (%s)", times(v.Worst.Ratio), v.Worst.Row, v.Worst.Rival)},
	}
}

func countRows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}
