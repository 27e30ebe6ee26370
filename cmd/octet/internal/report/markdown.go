package report

import (
	"fmt"
	"io"
	"strings"
)

func writeMarkdown(w io.Writer, d *Doc) error {
	var b strings.Builder
	fmt.Fprint(&b, "# octet bench\n\n")
	for _, line := range envLines(d.Run) {
		fmt.Fprintf(&b, "    %s\n", line)
	}
	fmt.Fprintf(&b, "\n%s\n", markdownText(legend))
	for i := range d.Groups {
		g := &d.Groups[i]
		fmt.Fprintf(&b, "\n## %s\n", markdownText(g.Name))
		if g.About != "" {
			fmt.Fprintf(&b, "\n%s\n", markdownText(g.About))
		}
		for _, t := range g.tables() {
			markdownTable(&b, "###", t)
		}
	}
	if d.Changes != nil {
		markdownTable(&b, "##", changeTable(d.Changes))
		for _, note := range changeNotes(d.Changes, d.Run.Env) {
			fmt.Fprintf(&b, "\n%s\n", markdownText(note))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func markdownTable(b *strings.Builder, heading string, g grid) {
	show := func(c cell) string { return markdownText(c.Text) }
	if g.Title != "" {
		fmt.Fprintf(b, "\n%s %s\n", heading, markdownText(g.Title))
	}
	fmt.Fprintf(b, "\n%s\n", pretty(g, show).RenderMarkdown())
}

// markdownText keeps characters from meaning something.
var markdownText = strings.NewReplacer(`*`, `\*`, `_`, `\_`, "`", "\\`", `<`, `\<`, `~`, `\~`).Replace
