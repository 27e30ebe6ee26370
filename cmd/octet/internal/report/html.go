package report

import (
	_ "embed"
	"html/template"
	"io"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"chart":  func(g Group) (template.HTML, error) { return chart(&g) },
	"tables": func(g Group) []grid { return g.tables() },
}).Parse(pageSource))

// writeHTML writes one page that needs nothing else: styles and charts are in
// it, and there are no scripts.
func writeHTML(w io.Writer, d *Doc) error {
	page := struct {
		*Doc
		Env    []string
		Legend string
		Change *grid
		Notes  []string
	}{Doc: d, Env: envLines(d.Run), Legend: legend}
	if d.Changes != nil {
		t := changeTable(d.Changes)
		page.Change = &t
		page.Notes = changeNotes(d.Changes, d.Run.Env)
	}
	return pageTemplate.Execute(w, page)
}
