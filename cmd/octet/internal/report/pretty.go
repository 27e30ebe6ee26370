package report

import (
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
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
