package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// The chart shows, a line for each row, every contestant's time relative to the
// best rival's, on a logarithmic scale. gonum draws in fixed colours, but the
// page's are variables that differ between light and dark: so each variable is
// drawn in a placeholder, a colour that nothing else has, and replaced in the
// finished SVG.

// The chart's measures. The page scales the whole.
const (
	chartWidth    = 9 * vg.Inch
	rowHeight     = 16
	legendLine    = 15
	legendColumns = 5
)

// slowest is the right edge: whoever is slower is shown there.
const slowest = 8

// placeholders of the page's variables.
var (
	ink   = placeholder{1, "ink"}
	quiet = placeholder{2, "quiet"}
	line  = placeholder{3, "line"}
	ours  = placeholders(0x10, "ours", 3)
	rival = placeholders(0x20, "rival", 8)
)

// A placeholder is a colour that stands for a variable of the page.
type placeholder struct {
	id   uint8
	name string
}

func placeholders(id uint8, name string, n int) []placeholder {
	out := make([]placeholder, n)
	for i := range out {
		out[i] = placeholder{id + uint8(i), fmt.Sprint(name, i)}
	}
	return out
}

// RGBA makes a placeholder a color.Color.
func (p placeholder) RGBA() (r, g, b, a uint32) {
	return color.RGBA{0xfa, 0xce, p.id, 0xff}.RGBA()
}

func (p placeholder) hex() string { return fmt.Sprintf("#FACE%02X", p.id) }

// chart returns the group's chart as SVG; "" if no row has a rival.
func chart(g *Group) (template.HTML, error) {
	rows := make([]*summary.Row, 0, len(g.Rows))
	for i := range g.Rows {
		if g.Rows[i].Best != "" {
			rows = append(rows, &g.Rows[i])
		}
	}
	slices.Reverse(rows) // the first is on top, where y is greatest
	series := seriesOf(rows)
	if len(series) == 0 {
		return "", nil
	}

	p := newPlot(rows, series)
	for _, s := range slices.Backward(series) { // ours last, above the others
		if err := s.draw(p); err != nil {
			return "", err
		}
	}
	lines := (len(series) + legendColumns - 1) / legendColumns
	top := vg.Length(lines)*legendLine + 10
	canvas := vgsvg.New(chartWidth, vg.Length(len(rows))*rowHeight+top+40)
	whole := draw.New(canvas)
	p.Draw(draw.Crop(whole, 0, -15, 0, -top)) // the last tick's label needs room on the right
	drawLegend(draw.Crop(whole, 10, 0, 0, -5), series, lines)

	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return "", err
	}
	return inline(b.String(), "Time of the contestants of "+g.Name+" relative to the best rival"), nil
}

// inline makes the SVG a part of a page: without the XML declaration, sized by
// the page's style, and in the page's colours.
func inline(svg, label string) template.HTML {
	_, svg, _ = strings.Cut(svg, "<svg ")
	_, svg, _ = strings.Cut(svg, "viewBox=")
	for _, p := range slices.Concat([]placeholder{ink, quiet, line}, ours, rival) {
		svg = strings.ReplaceAll(svg, p.hex(), "var(--"+p.name+")")
	}
	return template.HTML(`<svg role="img" aria-label="` + template.HTMLEscapeString(label) + `" viewBox=` + svg)
}

// sans is what the chart is laid out for; the page names fonts of its widths.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans", Size: 10}

// newPlot returns the empty plot of the rows.
func newPlot(rows []*summary.Row, series []*series) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Scale = plot.LogScale{}
	p.X.Min, p.X.Max = fastest(series), slowest
	p.X.Tick.Marker = powersOfTwo(p.X.Min)
	p.X.Tick.Label.Font, p.X.Tick.Label.Color, p.X.Tick.LineStyle.Color = sans, quiet, line
	p.X.LineStyle.Color = line

	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.Name
	}
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.6, float64(len(rows))-0.4
	p.Y.Tick.Label.Font, p.Y.Tick.Label.Color = sans, ink
	p.Y.Tick.Label.XAlign, p.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter

	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = line, line
	p.Add(grid)
	one := plotter.XYs{{X: 1, Y: p.Y.Min}, {X: 1, Y: p.Y.Max}}
	if l, err := plotter.NewLine(one); err == nil {
		l.Color, l.Width = quiet, 1
		p.Add(l)
	}
	return p
}

// fastest is the left edge: a power of two at or below everybody.
func fastest(series []*series) float64 {
	least := 0.5
	for _, s := range series {
		for _, pt := range s.points {
			least = min(least, max(pt.ratio, 1.0/1024))
		}
	}
	return math.Exp2(math.Floor(math.Log2(least)))
}

func powersOfTwo(from float64) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for v := from; v <= slowest; v *= 2 {
		label := fmt.Sprintf("%.4g×", v)
		if v == slowest {
			label = "≥ " + label
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: label})
	}
	return ticks
}

// drawLegend names the series above the plot, in columns of the given length.
func drawLegend(c draw.Canvas, series []*series, lines int) {
	width := c.Size().X / legendColumns
	column := 0
	for part := range slices.Chunk(series, lines) {
		l := plot.NewLegend()
		l.Top, l.Left = true, true
		l.TextStyle.Font, l.TextStyle.Color = sans, ink
		l.ThumbnailWidth = 12
		l.Padding = 3
		for _, s := range part {
			l.Add(s.name, key{s.style})
		}
		left := width * vg.Length(column)
		l.Draw(draw.Crop(c, left, left+width-c.Size().X, 0, 0))
		column++
	}
}
