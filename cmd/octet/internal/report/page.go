package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

// A page is text of a certain width.
type page struct {
	strings.Builder
	width int // in columns; 0 is no limit
}

// paragraph writes a text, wrapped, after an empty line.
func (p *page) paragraph(s string) { fmt.Fprintf(p, "\n%s\n", p.wrap(s, 0)) }

// wrap breaks the text into lines, for output that begins at column indent and
// continues there.
func (p *page) wrap(s string, indent int) string {
	width := min(cmp.Or(p.width, 100), 100)
	lines := strings.Split(text.WrapSoft(s, max(20, width-indent)), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

// table writes a table, of which all columns but the first are figures. If it is wider than the
// page it is split into several, which share the first column.
func (p *page) table(title string, head table.Row, rows []table.Row) {
	p.paragraph(title)
	for from := 1; from < len(head); {
		to := len(head)
		s := render(head, rows, from, to)
		for p.width > 0 && to > from+1 && text.LongestLineLen(s) > p.width {
			to--
			s = render(head, rows, from, to)
		}
		fmt.Fprintln(p, s)
		from = to
	}
}

// render returns a table of the first column and those from one to another.
func render(head table.Row, rows []table.Row, from, to int) string {
	w := table.NewWriter()
	w.AppendHeader(head)
	w.AppendRows(rows)
	var columns []table.ColumnConfig
	for i := 1; i < len(head); i++ {
		columns = append(columns, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight, Hidden: i < from || i >= to})
	}
	w.SetColumnConfigs(columns)
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	w.SetStyle(style)
	w.SuppressTrailingSpaces()
	return w.Render()
}

// Colours of cells, unless package text has none.
var good, bad = text.FgGreen, text.FgRed

// Marks in cells.
const (
	bestMark  = "*"
	levelMark = "≈"
)

// figure formats nanoseconds as benchstat does.
func figure(ns float64) string { return benchunit.Scale(ns/1e9, benchunit.Decimal) + "s" }

// spread formats the half-width of the interval relative to the median. It
// returns "" if the interval is infinite, because there were too few rounds, or
// a point.
func spread(s *benchmath.Summary) string {
	if s.Lo == s.Hi || math.IsInf(s.Lo, 0) || math.IsInf(s.Hi, 0) {
		return ""
	}
	return " ±" + s.PctRangeString()
}

// times formats a ratio.
func times(ratio float64) string { return fmt.Sprintf("%.2f×", ratio) }

// count formats a number of rows.
func count(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}
