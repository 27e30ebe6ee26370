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
	"cmp"
	"fmt"
	"io"
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
		p.table("octet beside the best rival of each row", table.Row{"group", "faster", "level", "slower", "unclear", "typical", "worst row"}, v.groups)
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
	fmt.Fprintln(p, p.wrap(g.About, 0))
	var tables [][]*row
	hidden := 0
	for _, r := range g.rows {
		if quick && r.promise == nil && r.unclear() {
			hidden++
			continue
		}
		at := slices.IndexFunc(tables, func(rs []*row) bool { return alike(rs[0], r) })
		if at < 0 {
			at, tables = len(tables), append(tables, nil)
		}
		tables[at] = append(tables[at], r)
	}
	slices.SortStableFunc(tables, func(a, b []*row) int { return cmp.Compare(a[0].Aside, b[0].Aside) })
	aside := ""
	for _, rs := range tables {
		if rs[0].Aside != aside {
			aside = rs[0].Aside
			p.paragraph("Not counted: " + aside)
		}
		if rs[0].promise != nil {
			p.promises(g.Name, rs)
		} else {
			p.sideBySide(g.Name, rs)
		}
	}
	if hidden > 0 {
		p.paragraph(count(hidden) + ": too unclear in a quick run to be shown.")
	}
}

// alike reports whether the rows are shown in one table.
func alike(a, b *row) bool {
	return a.Aside == b.Aside && (a.promise == nil) == (b.promise == nil) && slices.Equal(names(a), names(b))
}

// sideBySide writes a table of rows with the same contestants, and of the unit in which these
// are compared.
func (p *page) sideBySide(group string, rs []*row) {
	var lines []table.Row
	for _, r := range rs {
		line := table.Row{r.Name}
		for i := range r.Contestants {
			line = append(line, r.cell(&r.Contestants[i]))
		}
		lines = append(lines, line)
	}
	unit := "time"
	if rs[0].unit == contest.CPU {
		unit = "processor time"
	}
	p.table(group+": "+unit, append(table.Row{"row"}, names(rs[0])...), lines)
}

// cell returns the median of a contestant with its spread, and then how it compares.
func (r *row) cell(c *contest.Contestant) string {
	s := contest.Median(c.Samples[r.unit])
	out := figure(s.Center) + spread(&s)
	switch {
	case c == r.best:
		return out + " " + bestMark
	case c != r.octet || r.ratio == nil:
		return out
	}
	compared := times(r.ratio.Center) + spread(r.ratio)
	switch clearly(r.ratio) {
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
		{"12.34ns ±4%", "The median of one operation and half the width of its 95 % confidence interval, in percent of the median. " +
			"No ± means too few rounds for an interval, or no spread."},
		{"8.400ns " + bestMark, "The row's best rival: the contestant with the best median that is not octet."},
		{"0.68× ±3%", "Octet's figure divided by the best rival's: the median of this ratio over all rounds or layouts, with its own interval. " +
			"If that interval lies below 1, and the ratio by a tenth, octet is " + good.Sprint("faster") + ". If they lie above 1, octet is " + bad.Sprint("slower") + "."},
		{levelMark + "1.02×", "Octet and the best rival are level: they differ by less than a tenth, or the interval of the ratio contains 1."},
	} {
		fmt.Fprintf(p, "%s%s\n", text.Pad(e[0], indent, ' '), p.wrap(e[1], indent))
	}
	fmt.Fprintln(p, p.wrap("-o FILE.txt saves all samples for benchstat, allocations among them.", 0))
}

// promises writes the table of rows that are about octet's promise: memory and processor time
// of each contestant for the same work.
func (p *page) promises(group string, rs []*row) {
	var lines []table.Row
	for _, r := range rs {
		line := table.Row{r.Name}
		for i := range r.Contestants {
			c := &r.Contestants[i]
			spent := time.Duration(median(c, contest.CPU) * float64(r.octet.N))
			cell := fmt.Sprintf("%.0f MiB %.2f s", median(c, contest.RSS)/(1<<20), spent.Seconds())
			line = append(line, cell)
		}
		lines = append(lines, append(line, r.promise.cells()...))
	}
	head := append(append(table.Row{"pattern"}, names(rs[0])...), "memory", "time", "promise")
	p.table(group+": peak memory and processor time, and octet's divided by those of the sync.Pool", head, lines)
}

// cells returns the ratios and the outcome.
func (p *promise) cells() table.Row {
	memory, time, outcome := times(p.memory), times(p.time), good.Sprint("kept")
	var broken []string
	if !p.memoryKept {
		memory, broken = bad.Sprint(memory), append(broken, "memory")
	}
	if !p.timeKept {
		time, broken = bad.Sprint(time), append(broken, "time")
	}
	if len(broken) > 0 {
		outcome = bad.Sprint("broken: " + strings.Join(broken, ", "))
	}
	return table.Row{memory, time, outcome}
}

// names returns the names of the contestants of the row.
func names(r *row) (names table.Row) {
	for _, c := range r.Contestants {
		names = append(names, c.Name)
	}
	return names
}
