// Package report presents a run: as text, and its samples in a file for benchstat.
//
// # Map
//
// Each file uses those before it alone.
//
//	page.go       text and tables of a certain width, and figures with their units
//	row.go        what the samples of a row say of octet, and what octet promises
//	verdict.go    the verdict, as sentences and a table
//	report.go     the text: verdict, groups and legend
//	benchstat.go  the file
package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

// A Run is a run of octet bench.
type Run struct {
	CPU    string   // the name of the processor
	About  []string // lines that say where and how the run was made
	Quick  bool
	Others float64 // the share of the processors that other programs used, if they left hardly any idle
	Groups []contest.Group
}

// A group is a contest.Group, summarized.
type group struct {
	*contest.Group
	rows []*row
}

// Write writes the run as text of that width, or of any if it is 0: the verdict, and then
// tables. It has colours if package text has.
func Write(w io.Writer, run *Run, width int) error {
	var groups []group
	for i := range run.Groups {
		g := group{Group: &run.Groups[i]}
		for j := range g.Rows {
			g.rows = append(g.rows, summarize(&g.Rows[j]))
		}
		groups = append(groups, g)
	}
	p, v := &page{width: width}, judge(groups, run.Others)
	for _, s := range v.lines {
		fmt.Fprintln(p, text.Bold.Sprint(p.wrap(s, 0)))
	}
	p.WriteString("\n")
	for _, line := range run.About {
		fmt.Fprintln(p, p.wrap(line, 0))
	}
	if len(v.groups) > 0 {
		p.table("", table.Row{"group", "faster", "level", "slower", "unclear", "typical", "worst row"}, v.groups)
	}
	if len(v.notes) > 0 {
		p.paragraph(strings.Join(v.notes, " "))
	}
	for _, g := range groups {
		p.group(g, run.Quick)
	}
	p.legend()
	_, err := io.WriteString(w, p.String())
	return err
}

// group writes the tables of a group: of the rows that count, then of those that do not, by
// the reason. A quick run cannot tell anything of some rows, which are not shown.
func (p *page) group(g group, quick bool) {
	p.paragraph(text.Bold.Sprint(g.Name))
	if g.About != "" {
		fmt.Fprintln(p, p.wrap(g.About, 0))
	}
	reasons := []string{""}
	for _, r := range g.rows {
		if !slices.Contains(reasons, r.Aside) {
			reasons = append(reasons, r.Aside)
		}
	}
	for _, reason := range reasons {
		if reason != "" {
			p.paragraph("Not counted: " + reason)
		}
		var promises []*row
		var alike [][]*row // with the same contestants
		hidden := 0
		for _, r := range g.rows {
			switch at := slices.IndexFunc(alike, func(rs []*row) bool { return slices.Equal(names(rs[0]), names(r)) }); {
			case r.Aside != reason:
			case r.promise != nil:
				promises = append(promises, r)
			case quick && r.unclear():
				hidden++
			case at < 0:
				alike = append(alike, []*row{r})
			default:
				alike[at] = append(alike[at], r)
			}
		}
		p.promises(g.Name, promises)
		for _, rs := range alike {
			p.sideBySide(g.Name, rs)
		}
		if hidden > 0 {
			p.paragraph(count(hidden) + ": too unclear in a quick run to be shown.")
		}
	}
}

// sideBySide writes tables of rows with the same contestants: one of the time, and one of each other unit except
// bytes and allocations.
func (p *page) sideBySide(group string, rs []*row) {
	further := slices.DeleteFunc(slices.Sorted(maps.Keys(rs[0].Contestants[0].Samples)), func(unit string) bool {
		return unit == contest.Time || unit == contest.Bytes || unit == contest.Allocs
	})
	for _, unit := range append([]string{contest.Time}, further...) {
		var lines []table.Row
		for _, r := range rs {
			line := table.Row{r.Name}
			for i := range r.Contestants {
				line = append(line, r.cell(&r.Contestants[i], unit))
			}
			lines = append(lines, line)
		}
		name := unit
		if unit == contest.Time {
			name = "time"
		}
		p.table(group+": "+name, append(table.Row{"row"}, names(rs[0])...), lines)
	}
}

// cell returns what a table of the unit says of a contestant: the median, with its spread if
// the unit is time or contestants are compared in it, and then how it compares.
func (r *row) cell(c *contest.Contestant, unit string) string {
	if len(c.Samples[unit]) == 0 {
		return ""
	}
	s := contest.Median(c.Samples[unit])
	out := figure(s.Center, unit)
	if unit == contest.Time || unit == r.unit {
		out += spread(&s)
	}
	if unit != r.unit || r.ours == nil {
		return out
	}
	ratio := r.against(c)
	switch {
	case c == r.best:
		return out + " " + bestMark
	case !c.Ours || ratio == nil:
		return out
	}
	compared := times(ratio.Center) + spread(ratio)
	switch clearly(ratio) {
	case -1:
		return good.Sprint(out + " " + compared)
	case +1:
		return bad.Sprint(out + " " + compared)
	}
	return out + " " + levelMark + compared
}

// legend explains what a cell may contain.
func (p *page) legend() {
	p.paragraph(text.Bold.Sprint("legend"))
	const indent = 14
	for _, e := range [][2]string{
		{"12.3 ns ±4%", "The median of one operation and half the width of its 95 % confidence interval, in percent of the median. " +
			"No ± means too few rounds for an interval, or no spread."},
		{"8.4 ns " + bestMark, "The row's best rival: the contestant with the best median that is not octet."},
		{"0.68× ±3%", "Octet's figure divided by the best rival's: the median of this ratio over all rounds or layouts, with its own interval. " +
			"If that interval lies below 1, and the ratio by a tenth, octet is " + good.Sprint("faster") + ". If they lie above 1, octet is " + bad.Sprint("slower") + "."},
		{levelMark + "1.02×", "Octet and the best rival are level: they differ by less than a tenth, or the interval of the ratio contains 1."},
	} {
		fmt.Fprintf(p, "%s%s\n", text.Pad(e[0], indent, ' '), p.wrap(e[1], indent))
	}
	fmt.Fprintln(p, p.wrap("-o FILE.txt saves all samples for benchstat, allocations among them.", 0))
}

// promises writes the table of the rows that are about octet's promise, if there are any:
// memory and processor time of each contestant for the same work.
func (p *page) promises(group string, rs []*row) {
	if len(rs) == 0 {
		return
	}
	var lines []table.Row
	for _, r := range rs {
		line, n := table.Row{r.Name}, 0
		for _, c := range r.Contestants {
			n = max(n, c.N)
		}
		for i := range r.Contestants {
			c := &r.Contestants[i]
			spent := time.Duration(median(c, contest.CPU) * float64(n))
			cell := fmt.Sprintf("%.0f MiB %.2f s", median(c, contest.RSS)/(1<<20), spent.Seconds())
			if c.Name == r.Peer {
				cell += " " + bestMark
			}
			line = append(line, cell)
		}
		lines = append(lines, append(line, r.promise.cells()...))
	}
	head := append(append(table.Row{"pattern"}, names(rs[0])...), "memory", "time", "promise")
	p.table(group+": peak memory and processor time; * is the sync.Pool that octet's are divided by", head, lines)
}

// cells returns the ratios and the outcome.
func (p *promise) cells() table.Row {
	toned := func(kept bool, s string) string {
		if kept {
			return s
		}
		return bad.Sprint(s)
	}
	outcome := good.Sprint("kept")
	switch {
	case !p.memoryKept && !p.timeKept:
		outcome = bad.Sprint("broken: both")
	case !p.memoryKept:
		outcome = bad.Sprint("broken: memory")
	case !p.timeKept:
		outcome = bad.Sprint("broken: time")
	}
	return table.Row{toned(p.memoryKept, times(p.memory)), toned(p.timeKept, times(p.time)), outcome}
}

// names returns the names of the contestants of the row.
func names(r *row) (names table.Row) {
	for _, c := range r.Contestants {
		names = append(names, c.Name)
	}
	return names
}
