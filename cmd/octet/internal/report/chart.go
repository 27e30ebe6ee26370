package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// A Chart shows every contestant's ratio to the best rival, on a logarithmic
// scale, with a lane for each row. The page draws it as SVG with coordinates in
// percent and text in the page's own size, so that it fits a screen of any
// width.
type Chart struct {
	Key   []Mark // explains the marks
	Lanes []Lane
	Ticks []Tick
}

// A Lane is a row of the group.
type Lane struct {
	Name      string
	Label     string // describes the marks to screen readers
	Intervals []Interval
	Marks     []Mark // octet's come last, on top of the others
}

// A Mark stands for a contestant.
type Mark struct {
	Text  string
	Shape string
	Color string // a CSS class
	X     float64
}

// An Interval is the confidence interval of octet's ratio.
type Interval struct {
	Color  string
	X1, X2 float64
}

// A Tick labels a power of two. The best rival is at One.
type Tick struct {
	X    float64
	Text string
	One  bool
}

// The scale is cut off at these ratios; marks beyond are shown at the edge.
const (
	slowest = 8
	fastest = 1.0 / 16
)

// The shapes that the page defines for rivals, and the number of its colours
// for octet and for rivals. Octet is a disc.
var shapes = []string{"box", "triangle", "ring", "square", "plus", "cross"}

const (
	ourColors   = 3
	rivalColors = 8
)

// chart returns the chart of the rows that have a best rival; nil if none has.
func chart(rows []*summary.Row) *Chart {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r *summary.Row) bool { return r.Best == "" })
	if len(rows) == 0 {
		return nil
	}
	s := scale{left: leftEdge(rows)}
	c := &Chart{Key: key(rows), Ticks: s.ticks()}
	for _, r := range rows {
		c.Lanes = append(c.Lanes, s.lane(r, c.Key))
	}
	return c
}

// key returns a mark for every contestant, octet first.
func key(rows []*summary.Row) []Mark {
	var ours, rivals []Mark
	for _, r := range rows {
		for _, c := range r.Contestants {
			if c.Ratio == nil || findMark(ours, c.Name) != nil || findMark(rivals, c.Name) != nil {
				continue
			}
			if n := len(ours); c.Ours {
				ours = append(ours, Mark{Text: c.Name, Shape: "disc", Color: fmt.Sprint("ours", n%ourColors)})
			} else {
				n := len(rivals)
				rivals = append(rivals, Mark{Text: c.Name, Shape: shapes[n%len(shapes)], Color: fmt.Sprint("rival", n%rivalColors)})
			}
		}
	}
	return append(ours, rivals...)
}

func findMark(marks []Mark, name string) *Mark {
	at := slices.IndexFunc(marks, func(m Mark) bool { return m.Text == name })
	if at < 0 {
		return nil
	}
	return &marks[at]
}

// A scale maps ratios to percent of the width of a lane.
type scale struct{ left float64 }

// leftEdge returns the power of two at or below everything that is shown.
func leftEdge(rows []*summary.Row) float64 {
	least := 0.5
	for _, r := range rows {
		for _, c := range r.Contestants {
			if c.Ratio == nil {
				continue
			}
			shown := c.Ratio.Center
			if c.Ours {
				shown = c.Ratio.Lo
			}
			least = min(least, max(shown, fastest))
		}
	}
	return math.Exp2(math.Floor(math.Log2(least)))
}

func (s scale) x(ratio float64) float64 {
	ratio = min(max(ratio, s.left), slowest)
	x := 100 * math.Log2(ratio/s.left) / math.Log2(slowest/s.left)
	return math.Round(10*x) / 10
}

func (s scale) ticks() []Tick {
	var ticks []Tick
	for v := s.left; v <= slowest; v *= 2 {
		text := fmt.Sprintf("%g×", v)
		if v < 1 {
			text = fmt.Sprintf("1/%g", 1/v)
		}
		switch v {
		case slowest:
			text = "≥" + text
		case fastest:
			text = "≤" + text
		}
		ticks = append(ticks, Tick{X: s.x(v), Text: text, One: v == 1})
	}
	return ticks
}

// lane returns the lane of a row, with the marks of the key.
func (s scale) lane(r *summary.Row, key []Mark) Lane {
	l := Lane{Name: r.Name}
	var ours []Mark
	var said []string
	for i := range r.Contestants {
		c := &r.Contestants[i]
		if c.Ratio == nil {
			continue
		}
		m := *findMark(key, c.Name)
		m.X = s.x(c.Ratio.Center)
		m.Text += " " + times(c.Ratio.Center)
		switch {
		case c.Ratio.Center > slowest:
			m.Shape = "right"
		case c.Ratio.Center < s.left:
			m.Shape = "left"
		}
		if c.Ours {
			if !math.IsInf(c.Ratio.Hi, 0) {
				m.Text += fmt.Sprintf(" (%s to %s)", times(c.Ratio.Lo), times(c.Ratio.Hi))
			}
			l.Intervals = append(l.Intervals, Interval{m.Color, s.x(c.Ratio.Lo), s.x(c.Ratio.Hi)})
			ours = append(ours, m)
		} else {
			l.Marks = append(l.Marks, m) // without an interval: a dozen in one lane would be unreadable
		}
		said = append(said, m.Text)
	}
	l.Marks = append(l.Marks, ours...)
	l.Label = strings.Join(said, ", ")
	return l
}
