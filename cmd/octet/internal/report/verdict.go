package report

import (
	"fmt"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A Verdict is the outcome of a run, as text.
type Verdict struct {
	Headline string
	Promise  string // what became of octet's promise about patterns of use; "" if none was measured
	Table    grid   // a line for each group; empty if no row counts
	Warning  string // about wide intervals; "" if there are few
	Notes    []string
}

// verdict returns the document's verdict.
func (d *Doc) verdict() Verdict {
	v := Verdict{Table: grid{
		Head:  []string{"group", "faster", "level", "slower", "typical", "worst row"},
		Words: 1,
		Tail:  1,
	}}
	var all summary.Verdict
	var wide []string
	for i := range d.Verdicts {
		g := &d.Verdicts[i]
		all.Faster += g.Faster
		all.Level += g.Level
		all.Slower += g.Slower
		all.Aside += g.Aside
		all.Kept += g.Kept
		all.Broken = append(all.Broken, g.Broken...)
		if g.Rows() == 0 {
			continue
		}
		v.Table.Rows = append(v.Table.Rows, verdictLine(g))
		if g.TooWide() {
			wide = append(wide, fmt.Sprintf("%s (%d of %d rows)", g.Group, g.Wide, g.Rows()))
		}
	}
	if others := d.Run.Others; others > 0 {
		v.Headline = fmt.Sprintf("No verdict: this machine was loaded. Other programs used %.0f %% of its processors and left hardly any idle, "+
			"so that the figures above say little. Stop them, and measure again.", 100*others)
		return v
	}
	v.Promise = promiseKept(&all)
	if all.Rows() == 0 && v.Promise == "" {
		v.Headline = "No row was measured in which octet has a rival."
		return v
	}
	if all.Rows() == 0 {
		return v
	}
	v.Headline = fmt.Sprintf("Octet is faster than the best rival on %d of %s, level on %d, slower on %d.",
		all.Faster, countRows(all.Rows()), all.Level, all.Slower)
	if len(wide) > 0 {
		v.Warning = fmt.Sprintf("Warning: many ratios are uncertain by more than ±%.0f %%: %s. The machine was busy or the time too short: "+
			"stop other programs, allow more --time, or --run fewer rows.", 100*summary.WideInterval, strings.Join(wide, ", "))
	}
	v.Notes = append(v.Notes, "Level: the 95 % confidence interval of octet's ratio to the best rival contains 1. Typical: the median of the ratios. "+
		"Worst row: the row with the highest ratio, and its best rival.")
	if all.Aside > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("Not counted: %s in which octet does not compete with rivals. They come last in their groups, with the reason.", countRows(all.Aside)))
	}
	return v
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
