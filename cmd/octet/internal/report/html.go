package report

import (
	_ "embed"
	"html/template"
	"io"
	"regexp"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"chart":    func(p Part) *Chart { return chart(p.Rows) },
	"tables":   func(p Part) []grid { return p.tables(full) },
	"together": together,
}).Parse(pageSource))

// writeHTML writes a page that needs no other file: it contains its styles and
// charts, and no scripts.
func writeHTML(w io.Writer, d *Doc) error {
	page := struct {
		*Doc
		Verdict Verdict
		Env     []string
		Legend  []Entry
		Change  *grid
		Notes   []string
		Colors  map[string]int // number of colours in charts, by kind
	}{Doc: d, Colors: map[string]int{"ours": ourColors, "rival": rivalColors}, Verdict: d.verdict(), Env: envLines(d.Run), Legend: legend(d, true, full)}
	if d.Changes != nil {
		t := changeTable(d.Changes)
		page.Change = &t
		page.Notes = changeNotes(d.Changes, d.Run.Env)
	}
	return pageTemplate.Execute(w, page)
}

var unitAfterNumber = regexp.MustCompile(`(\d) (\pL)`)

// together prevents line breaks between a number and its unit.
func together(s string) string { return unitAfterNumber.ReplaceAllString(s, "$1\u00a0$2") }
