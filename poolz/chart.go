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
	label string // what a reader hears who does not see it
	line  string // its points, as SVG has them; "" for no chart
	area  string // the same with what is below
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
		return chart{label: label}
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

// inUse draws the bytes in use, rates the requests per second, and hitRates the share of
// them that were hits.
func (h history) inUse(now time.Time) chart {
	return newChart(now, h, 0, "bytes in use over the last minute", func(_, p point) (float64, bool) {
		return float64(max(p.inUse, 0)), true
	})
}

func (h history) rates(now time.Time) chart {
	return newChart(now, h, 0, "gets per second over the last minute", func(a, b point) (float64, bool) {
		return a.until(b).rate(), true
	})
}

func (h history) hitRates(now time.Time) chart {
	return newChart(now, h, 1, "hit rate over the last minute", func(a, b point) (float64, bool) {
		return a.until(b).hitRate()
	})
}

// chart shows c, if it has a line.
func (p *page) chart(c chart) {
	if c.line != "" {
		p.add(`<svg viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s"><polygon points="%s"/><polyline points="%s"/></svg>`,
			chartWidth, chartHeight, c.label, c.area, c.line)
	}
}

func coordinate(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
