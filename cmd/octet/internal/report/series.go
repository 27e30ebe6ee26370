package report

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A series is one contestant's points in a chart.
type series struct {
	name   string
	ours   bool
	points []point
	style  draw.GlyphStyle
}

// A point is a contestant's ratio in one row, with its interval.
type point struct {
	row            int
	ratio, low, hi float64
}

// seriesOf collects the contestants of the rows, ours first, and gives them
// their looks.
func seriesOf(rows []*summary.Row) []*series {
	var all []*series
	for i, r := range slices.Backward(rows) {
		for _, c := range r.Contestants {
			if c.Ratio == nil {
				continue
			}
			at := slices.IndexFunc(all, func(s *series) bool { return s.name == c.Name && s.ours == c.Ours })
			if at < 0 {
				at = len(all)
				all = append(all, &series{name: c.Name, ours: c.Ours})
			}
			all[at].points = append(all[at].points, point{i, c.Ratio.Center, c.Ratio.Lo, c.Ratio.Hi})
		}
	}
	slices.SortStableFunc(all, func(a, b *series) int {
		switch {
		case a.ours == b.ours:
			return 0
		case a.ours:
			return -1
		}
		return +1
	})
	shapes := []draw.GlyphDrawer{draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.PlusGlyph{}, draw.CrossGlyph{}}
	mine, theirs := 0, 0
	for _, s := range all {
		if s.ours {
			s.style = draw.GlyphStyle{Color: ours[mine%len(ours)], Radius: 4, Shape: draw.CircleGlyph{}}
			mine++
		} else {
			s.style = draw.GlyphStyle{Color: rival[theirs%len(rival)], Radius: 3, Shape: shapes[theirs%len(shapes)]}
			theirs++
		}
	}
	return all
}

// draw adds the series to the plot. Points beyond the right edge become open
// triangles on it.
func (s *series) draw(p *plot.Plot) error {
	var inside, beyond plotter.XYs
	for _, pt := range s.points {
		y := float64(pt.row)
		if pt.ratio > slowest {
			beyond = append(beyond, plotter.XY{X: slowest, Y: y})
			continue
		}
		inside = append(inside, plotter.XY{X: max(pt.ratio, p.X.Min), Y: y})
		if !s.ours {
			continue // a dozen intervals in one line could not be told apart
		}
		whisker, err := plotter.NewLine(plotter.XYs{
			{X: max(pt.low, p.X.Min), Y: y},
			{X: min(pt.hi, slowest), Y: y},
		})
		if err != nil {
			return err
		}
		whisker.Color, whisker.Width = s.style.Color, 1.5
		p.Add(whisker)
	}
	for _, part := range []struct {
		at    plotter.XYs
		shape draw.GlyphDrawer
	}{{inside, s.style.Shape}, {beyond, draw.TriangleGlyph{}}} {
		if len(part.at) == 0 {
			continue
		}
		points, err := plotter.NewScatter(part.at)
		if err != nil {
			return err
		}
		points.GlyphStyle = s.style
		points.Shape = part.shape
		p.Add(points)
	}
	return nil
}

// key is what the legend shows of the series.
type key struct{ draw.GlyphStyle }

// Thumbnail draws the glyph in the middle of its place.
func (k key) Thumbnail(c *draw.Canvas) { c.DrawGlyph(k.GlyphStyle, c.Center()) }
