package report

import (
	"fmt"

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
		if g.Rows() > 0 {
			v.Table.Rows = append(v.Table.Rows, verdictLine(g))
		}
	}
	if all.Promises() > 0 {
		v.Lines = append(v.Lines, promiseKept(&all))
	}
	if all.Rows() > 0 {
		v.Lines = append(v.Lines, compared(&all))
		v.Notes = append(v.Notes, "Level: the 95 % confidence interval of octet's ratio to the best rival contains 1; unclear: it does, and is wider than "+
			fmt.Sprintf("±%.0f %%. ", 100*summary.WideInterval)+"Typical: the median of the other ratios. Worst row: the row with the highest, and its best rival.")
	}
	if all.Aside > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("Not counted: %s in which octet does not compete with rivals. They come last in their groups, with the reason.", countRows(all.Aside)))
	}
	if len(v.Lines) == 0 {
		v.Lines = []string{"No row was measured in which octet has a rival."}
	}
	return v
}

// compared says how octet compares with its rivals.
func compared(v *summary.Verdict) string {
	s := fmt.Sprintf("Octet is faster than the best rival on %d of %s, level on %d, slower on %d.", v.Faster, countRows(v.Rows()), v.Level, v.Slower)
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
