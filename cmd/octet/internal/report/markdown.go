package report

import (
	"fmt"
	"io"
	"strings"
)

func writeMarkdown(w io.Writer, d *Doc) error {
	var b strings.Builder
	fmt.Fprint(&b, "# octet bench\n")
	markdownVerdict(&b, d.verdict())
	fmt.Fprintln(&b)
	for _, line := range envLines(d.Run) {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	fmt.Fprintln(&b)
	for _, e := range legend(false, full) {
		fmt.Fprintf(&b, "- `%s`: %s\n", e.Term, markdownText(e.Text))
	}
	for i := range d.Groups {
		g := &d.Groups[i]
		fmt.Fprintf(&b, "\n## %s\n", markdownText(g.Name))
		if g.About != "" {
			fmt.Fprintf(&b, "\n%s\n", markdownText(g.About))
		}
		for _, p := range g.Parts() {
			if p.Aside != "" {
				fmt.Fprintf(&b, "\nNot counted: %s\n", markdownText(p.Aside))
			}
			for _, t := range p.tables(full) {
				markdownTable(&b, "###", t)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownVerdict(b *strings.Builder, v Verdict) {
	for _, s := range v.Lines {
		fmt.Fprintf(b, "\n**%s**\n", markdownText(s))
	}
	if len(v.Table.Rows) > 0 {
		markdownTable(b, "", v.Table)
	}
	for _, note := range v.Notes {
		fmt.Fprintf(b, "\n%s\n", markdownText(note))
	}
}

func markdownTable(b *strings.Builder, heading string, g grid) {
	show := func(c cell) string { return markdownText(c.Text) }
	if g.Title != "" {
		fmt.Fprintf(b, "\n%s %s\n", heading, markdownText(g.Title))
	}
	fmt.Fprintf(b, "\n%s\n", pretty(g, show).RenderMarkdown())
}

// markdownText escapes characters that have a meaning in Markdown.
var markdownText = strings.NewReplacer(`*`, `\*`, `_`, `\_`, "`", "\\`", `<`, `\<`, `~`, `\~`).Replace
