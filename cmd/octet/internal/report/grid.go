package report

import (
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A grid is a table for any format: an optional title, a head, and rows of
// cells.
type grid struct {
	Title string
	Head  []string
	Words int // number of leading columns with words; the others hold figures
	Rows  [][]cell
}

// columns returns a grid with the leading columns of words and the columns in
// [from, to).
func (g grid) columns(from, to int) grid {
	out := grid{Title: g.Title, Head: slices.Concat(g.Head[:g.Words], g.Head[from:to]), Words: g.Words}
	for _, line := range g.Rows {
		out.Rows = append(out.Rows, slices.Concat(line[:g.Words], line[from:to]))
	}
	return out
}

// A cell is a text and its tone.
type cell struct {
	Text string
	Tone tone
}

type tone string

const (
	plain tone = ""
	good  tone = "good"
	bad   tone = "bad"
)

// Marks in the cells of tables.
const (
	bestMark  = "*"
	levelMark = "≈"
)

// pretty converts the grid to a table of go-pretty; show returns the text of a
// cell.
func pretty(g grid, show func(cell) string) table.Writer {
	w := table.NewWriter()
	head := make(table.Row, len(g.Head))
	columns := make([]table.ColumnConfig, len(g.Head))
	for i, name := range g.Head {
		head[i] = name
		columns[i] = table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
		if i < g.Words {
			columns[i].Align, columns[i].AlignHeader = text.AlignLeft, text.AlignLeft
		}
	}
	w.AppendHeader(head)
	w.SetColumnConfigs(columns)
	for _, line := range g.Rows {
		row := make(table.Row, len(line))
		for i, c := range line {
			row[i] = show(c)
		}
		w.AppendRow(row)
	}
	return w
}
