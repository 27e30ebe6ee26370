package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octet-go/octet/cmd/octet/internal/sample"
	"github.com/octet-go/octet/cmd/octet/internal/summary"
)

// Lengths in a picture, in pixels.
const (
	svgWidth  = 760
	svgMargin = 16
	svgLine   = 20 // height of a line of text
	svgBar    = 12 // height of a bar
	svgLetter = 7  // width of a letter: more than most have
	svgFigure = 90 // room for a figure after the longest bar
)

// writeSVG writes a picture of bars: for each row, the median of each contestant in
// the unit that they are compared in. Bars of one unit have one linear scale.
func writeSVG(w io.Writer, d *Doc) error {
	longest, names := make(map[string]float64), 0
	for i := range d.Groups {
		for _, r := range d.Groups[i].Rows {
			for _, c := range r.Contestants {
				longest[r.Unit] = max(longest[r.Unit], c.Units[r.Unit].Center)
				names = max(names, utf8.RuneCountInString(c.Name))
			}
		}
	}
	left := svgMargin + names*svgLetter + 10

	var b strings.Builder
	y := svgMargin
	line := func(x int, class, text string) {
		if letters, most := []rune(text), (svgWidth-x-svgMargin)/svgLetter; class != "name" && len(letters) > most {
			text = string(letters[:most-1]) + "…"
		}
		var escaped strings.Builder
		xml.EscapeText(&escaped, []byte(text))
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y+svgLine-6, class, escaped.String())
	}
	for i := range d.Groups {
		for _, r := range d.Groups[i].Rows {
			line(svgMargin, "row", strings.ReplaceAll(d.Groups[i].Name+" "+r.Name, "/", ", ")+": "+unitName(r.Unit))
			y += svgLine
			for _, c := range r.Contestants {
				v := c.Units[r.Unit].Center
				length := 0.0
				if most := longest[r.Unit]; most > 0 {
					length = v / most * float64(svgWidth-svgMargin-svgFigure-left)
				}
				line(left-10, "name", c.Name)
				fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>\n",
					left, y+(svgLine-svgBar)/2, max(length, 1), svgBar, side(&c))
				line(left+int(length)+6, "figure", figure(v, r.Unit))
				y += svgLine
			}
			y += svgLine / 2
		}
	}
	env := d.Run.Env
	line(svgMargin, "env", strings.Join(slices.DeleteFunc([]string{env.CPU, fmt.Sprintf("%d cores", env.Cores), env.Go}, func(s string) bool { return s == "" }), ", "))
	y += svgLine
	line(svgMargin, "env", env.Command)
	y += svgLine + svgMargin

	_, err := fmt.Fprintf(w, svgFrame, svgWidth, y, b.String())
	return err
}

// side returns the class of a contestant's bars.
func side(c *summary.Contestant) string {
	if c.Ours {
		return "ours"
	}
	return "other"
}

// unitName returns what a unit measures, in words where it has any.
func unitName(unit string) string {
	switch unit {
	case sample.Time:
		return "time"
	case sample.CPU:
		return "processor time"
	case sample.Bytes:
		return "allocated bytes"
	case sample.Peak:
		return "peak heap"
	}
	return unit
}

const svgFrame = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[2]d" width="%[1]d" height="%[2]d" role="img">
<style>
rect.ground { fill: #ffffff; } text { font: 12px system-ui, "Liberation Sans", sans-serif; fill: #1c2126; }
.row { font-weight: 600; } .name { text-anchor: end; } .env { fill: #5b6670; }
.ours { fill: #0b57d0; } .other { fill: #8a939b; }
@media (prefers-color-scheme: dark) {
rect.ground { fill: #14181c; } text { fill: #e3e7ea; } .env { fill: #9aa5ae; } .ours { fill: #7db4ff; } .other { fill: #7c8791; } }
</style>
<rect class="ground" width="100%%" height="100%%"/>
%[3]s</svg>
`
