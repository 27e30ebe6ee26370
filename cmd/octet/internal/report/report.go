// Package report presents a run: as tables on a terminal, and in files.
//
// # Map
//
// Each file uses those before it alone.
//
//	report.go    what a report can show, and where and how the run was made
//	grid.go      tables of any content, and as text and Markdown
//	figures.go   figures with their units
//	promise.go   patterns of use: the table, and what octet promises of them
//	tables.go    the contents of tables, for all formats that have tables
//	legend.go    what the cells of tables mean
//	verdict.go   the verdict, as sentences and a table
//	terminal.go  output on a terminal
//	markdown.go, benchstat.go
//	             reports in files
//	formats.go   the file formats
package report

import (
	"fmt"
	"slices"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A Doc is everything that a report can show.
type Doc struct {
	Run      *contest.Result
	Groups   []Group
	Verdicts []summary.Verdict // on the groups in which at least one row counts; none of a loaded machine
}

// A Group is a contest.Group, summarized.
type Group struct {
	Name, About string
	Rows        []summary.Row
	quick       bool
}

// New summarizes the run.
func New(run *contest.Result) *Doc {
	d := &Doc{Run: run, Groups: make([]Group, len(run.Groups))}
	for i, g := range run.Groups {
		d.Groups[i] = Group{Name: g.Name, About: g.About, quick: run.Quick}
		for j := range g.Rows {
			d.Groups[i].Rows = append(d.Groups[i].Rows, summary.Of(&g.Rows[j]))
		}
		if v := summary.Judge(g.Name, d.Groups[i].Rows); v.Rows()+v.Promises() > 0 && run.Others == 0 {
			d.Verdicts = append(d.Verdicts, v)
		}
	}
	return d
}

// A Part is the rows of a group that count, or those that do not count for the
// same reason.
type Part struct {
	Aside string // the reason; "" if the rows count
	Rows  []*summary.Row
	group string
	quick bool // a quick run
}

// hidden returns the number of rows that a brief report does not show.
func (p *Part) hidden() (n int) {
	for _, r := range p.Rows {
		if p.hides(r) {
			n++
		}
	}
	return n
}

// hides reports whether a brief report leaves the row out: a quick run cannot tell anything
// of it.
func (p *Part) hides(r *summary.Row) bool { return p.quick && r.Promise == nil && r.Unclear() }

// Parts returns the parts of the group that have any rows. The rows that count
// come first.
func (g *Group) Parts() []Part {
	parts := []Part{{group: g.Name, quick: g.quick}}
	for i := range g.Rows {
		r := &g.Rows[i]
		at := slices.IndexFunc(parts, func(p Part) bool { return p.Aside == r.Aside })
		if at < 0 {
			at = len(parts)
			parts = append(parts, Part{Aside: r.Aside, group: g.Name, quick: g.quick})
		}
		parts[at].Rows = append(parts[at].Rows, r)
	}
	return slices.DeleteFunc(parts, func(p Part) bool { return len(p.Rows) == 0 })
}

// contestants returns the names of the contestants of the row.
func contestants(r *summary.Row) []string {
	var names []string
	for _, c := range r.Contestants {
		names = append(names, c.Name)
	}
	return names
}

// envLines describes where and how the run was made.
func envLines(r *contest.Result) []string {
	e := r.Env
	rounds := fmt.Sprintf("%d rounds", r.Made())
	switch {
	case r.Layouts > 0:
		rounds = fmt.Sprintf("medians of %d layouts of the program", r.Layouts)
	case r.Made() < r.Rounds:
		rounds = fmt.Sprintf("%d of %d rounds, because time ran out", r.Made(), r.Rounds)
	}
	return []string{
		fmt.Sprintf("%s, %d cores, GOMAXPROCS %d, %s/%s", e.CPU, e.Cores, e.GOMAXPROCS, e.GOOS, e.GOARCH),
		fmt.Sprintf("%s, octet %s, %s", e.Go, e.Octet, e.Time),
		fmt.Sprintf("%s: %s", e.Command, rounds),
	}
}
