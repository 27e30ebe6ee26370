package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Terminal writes a run as text: the verdict, and then tables without allocations.
type Terminal struct {
	Width int // in columns; 0 is no limit
	Color bool
}

// Write writes the document. A table that is wider than the terminal is split
// into several, which share the leading columns.
func (t Terminal) Write(w io.Writer, d *Doc) error {
	var b strings.Builder
	v := d.verdict()
	for _, s := range v.Lines {
		fmt.Fprintln(&b, t.bold(t.wrap(s, 0)))
	}
	fmt.Fprintln(&b)
	for _, line := range envLines(d.Run) {
		fmt.Fprintln(&b, t.wrap(line, 0))
	}
	t.verdict(&b, v)
	for i := range d.Groups {
		t.group(&b, &d.Groups[i])
	}
	t.legend(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t Terminal) group(b *strings.Builder, g *Group) {
	fmt.Fprintf(b, "\n%s\n", t.bold(g.Name))
	if g.About != "" {
		fmt.Fprintln(b, t.wrap(g.About, 0))
	}
	for _, p := range g.Parts() {
		if p.Aside != "" {
			fmt.Fprintf(b, "\n%s\n", t.wrap("Not counted: "+p.Aside, 0))
		}
		for _, table := range p.tables(brief) {
			t.table(b, table)
		}
		if n := p.hidden(); n > 0 {
			fmt.Fprintf(b, "\n%s\n", t.wrap(fmt.Sprintf("%s: too unclear in a quick run to be shown.", countRows(n)), 0))
		}
	}
}

func (t Terminal) legend(b *strings.Builder) {
	const indent = 14
	fmt.Fprintf(b, "\n%s\n", t.bold("legend"))
	for _, e := range legend(t.Color, brief) {
		fmt.Fprintf(b, "%s%s\n", text.Pad(e.Term, indent, ' '), t.wrap(e.Text, indent))
	}
	fmt.Fprintln(b, t.wrap("Allocations are in the report: -o FILE.md.", 0))
}

// verdict writes what follows its sentences.
func (t Terminal) verdict(b *strings.Builder, v Verdict) {
	if len(v.Table.Rows) > 0 {
		t.table(b, v.Table)
	}
	if len(v.Notes) > 0 {
		fmt.Fprintf(b, "\n%s\n", t.wrap(strings.Join(v.Notes, " "), 0))
	}
}

// table writes a table with its title.
func (t Terminal) table(b *strings.Builder, g grid) {
	fmt.Fprintln(b)
	if g.Title != "" {
		fmt.Fprintln(b, t.wrap(g.Title, 0))
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

// render formats a table without its title.
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

// wrap breaks the text into lines, for output that begins at column indent and
// continues there.
func (t Terminal) wrap(s string, indent int) string {
	width := t.Width
	if width == 0 || width > 100 {
		width = 100
	}
	s = trimLines(text.WrapSoft(s, max(20, width-indent)))
	return strings.ReplaceAll(s, "\n", "\n"+strings.Repeat(" ", indent))
}

// trimLines removes trailing blanks from all lines.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}
