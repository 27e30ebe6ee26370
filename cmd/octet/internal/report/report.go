// Package report shows a run: as tables on the terminal, and in files.
//
//	tables.go    what the tables contain, for every format that has any
//	changes.go   the table against a saved run
//	figures.go   figures with their units
//	terminal.go  tables on a terminal
//	save.go      the file formats by ending, and how files are written
//	json.go, csv.go, markdown.go, benchstat.go, html.go, chart.go
//	             the formats
package report

import (
	"github.com/octet-go/octet/cmd/octet/internal/compare"
	"github.com/octet-go/octet/cmd/octet/internal/sample"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A Doc is all that a report may show.
type Doc struct {
	Run     *sample.Run
	Groups  []Group
	Changes *compare.Result // nil without a saved run to compare with
}

// A Group is a sample.Group in figures.
type Group struct {
	Name, About string
	Rows        []summary.Row
}

// New condenses the run. The changes may be nil.
func New(run *sample.Run, changes *compare.Result) *Doc {
	d := &Doc{Run: run, Changes: changes, Groups: make([]Group, len(run.Groups))}
	for i, g := range run.Groups {
		d.Groups[i] = Group{Name: g.Name, About: g.About}
		for j := range g.Rows {
			d.Groups[i].Rows = append(d.Groups[i].Rows, summary.Of(&g.Rows[j]))
		}
	}
	return d
}

// legend explains the cells of the tables, wherever there are any.
const legend = "Medians of one operation, with the half-width of their 95 % confidence interval where it is known. " +
	"* marks a row's best rival; × is octet's time relative to it, the median over the rounds. " +
	"What is allocated is given in bytes and in allocations: 64 B in 1."
