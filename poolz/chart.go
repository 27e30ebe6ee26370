package poolz

import (
	"strconv"
	"strings"
	"time"
)

// The size of a chart, in units of its own: a line as wide as a minute.
const (
	chartWidth  = 120
	chartHeight = 28
)

// A chart is a line over the last minute.
type chart struct {
	Label string // what a reader hears who does not see it
	Line  string // its points, as SVG has them; "" for no chart
	Area  string // the same with what is below
}

// newChart draws what value makes of each point of h and the one before, leaving out
// those for which it returns false. The top of the chart is top, or the largest value
// if that is more.
func newChart(now time.Time, h history, top float64, label string, value func(before, p point) (float64, bool)) chart {
	type spot struct{ x, y float64 }
	var spots []spot
	for i := 1; i < len(h); i++ {
		if v, ok := value(h[i-1], h[i]); ok {
			x := chartWidth * (1 - now.Sub(h[i].at).Seconds()/span.Seconds())
			spots = append(spots, spot{min(max(x, 0), chartWidth), v})
			top = max(top, v)
		}
	}
	if len(spots) < 2 {
		return chart{Label: label}
	}
	var line strings.Builder
	for i, s := range spots {
		if i > 0 {
			line.WriteByte(' ')
		}
		y := float64(chartHeight - 1)
		if top > 0 {
			y -= s.y / top * (chartHeight - 2)
		}
		line.WriteString(coordinate(s.x) + "," + coordinate(y))
	}
	area := coordinate(spots[0].x) + "," + strconv.Itoa(chartHeight) + " " + line.String() + " " +
		coordinate(spots[len(spots)-1].x) + "," + strconv.Itoa(chartHeight)
	return chart{label, line.String(), area}
}

func coordinate(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
