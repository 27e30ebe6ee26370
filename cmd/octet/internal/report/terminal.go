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

// Write shows the document. A table that is wider than the terminal is broken
// into several, which share the leading columns of words.
func (t Terminal) Write(w io.Writer, d *Doc) error {
	var b strings.Builder
	for _, line := range envLines(d.Run) {
		fmt.Fprintln(&b, t.wrap(line))
	}
	for i := range d.Groups {
		g := &d.Groups[i]
		fmt.Fprintf(&b, "\n%s\n", t.bold(g.Name))
		if g.About != "" {
			fmt.Fprintln(&b, t.wrap(g.About))
		}
		for _, table := range g.tables() {
			t.table(&b, table)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", t.wrap(legend))
	if d.Changes != nil {
		t.table(&b, changeTable(d.Changes))
		for _, note := range changeNotes(d.Changes, d.Run.Env) {
			fmt.Fprintln(&b, t.wrap(note))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// table writes a table with its title.
func (t Terminal) table(b *strings.Builder, g grid) {
	fmt.Fprintln(b)
	if g.Title != "" {
		fmt.Fprintln(b, g.Title)
	}
	for from := g.Words; from < len(g.Head); {
		to := len(g.Head)
		s := t.render(g.columns(from, to))
		for t.Width > 0 && to > from+1 && text.LongestLineLen(s) > t.Width {
			to--
			s = t.render(g.columns(from, to))
		}
		fmt.Fprintln(b, s)
		from = to
	}
}

// render lays out a table without its title.
func (t Terminal) render(g grid) string {
	w := pretty(g, t.tone)
	style := table.StyleLight
	style.Format.Header = text.FormatDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	w.SetStyle(style)
	return trimLines(w.Render())
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
