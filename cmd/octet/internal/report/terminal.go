package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Terminal writes the tables to w.
type Terminal struct {
	Width int // in columns; 0 is no limit
	Color bool
}

// Write shows the document. Tables that are wider than the terminal are set by
// contestant instead, which is narrower.
func (t Terminal) Write(w io.Writer, d *Doc) error {
	var b strings.Builder
	for _, line := range envLines(d.Run.Env) {
		fmt.Fprintln(&b, line)
	}
	for i := range d.Groups {
		g := &d.Groups[i]
		fmt.Fprintf(&b, "\n%s\n", t.bold(g.Name))
		if g.About != "" {
			fmt.Fprintln(&b, t.wrap(g.About))
		}
		for _, block := range t.group(g) {
			fmt.Fprintf(&b, "\n%s\n", block)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", t.wrap(legend))
	if d.Changes != nil {
		fmt.Fprintf(&b, "\n%s\n", t.table(changeTable(d.Changes)))
		for _, note := range changeNotes(d.Changes, d.Run.Env) {
			fmt.Fprintln(&b, t.wrap(note))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// group renders the group's tables, family by family.
func (t Terminal) group(g *Group) []string {
	var blocks []string
	for _, f := range families(g.Rows) {
		var part []string
		wide := false
		for _, tab := range f.tables(g.Name) {
			s := t.table(tab)
			wide = wide || t.Width > 0 && text.LongestLineLen(s) > t.Width
			part = append(part, s)
		}
		if wide {
			part = []string{t.table(f.byContestant(g.Name))}
		}
		blocks = append(blocks, part...)
	}
	return blocks
}

// table renders one table with its title.
func (t Terminal) table(g grid) string {
	w := pretty(g, t.tone)
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	w.SetStyle(style)
	return g.Title + "\n" + trimLines(w.Render())
}

func (t Terminal) tone(c cell) string {
	if t.Color {
		switch c.Tone {
		case good:
			return text.FgGreen.Sprint(c.Text)
		case bad:
			return text.FgRed.Sprint(c.Text)
		}
	}
	return c.Text
}

func (t Terminal) bold(s string) string {
	if t.Color {
		return text.Bold.Sprint(s)
	}
	return s
}

func (t Terminal) wrap(s string) string {
	width := t.Width
	if width == 0 || width > 100 {
		width = 100
	}
	return trimLines(text.WrapSoft(s, width))
}

// trimLines removes the blanks that fill lines up.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
