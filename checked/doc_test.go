package checked_test

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"strings"
	"testing"
)

// TestReportIsDocumented sees that go doc shows all of Report and all codes, though
// they are declared in another package.
func TestReportIsDocumented(t *testing.T) {
	set := token.NewFileSet()
	parse := func(name string) *ast.File {
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	source := func(n ast.Node) string {
		var b strings.Builder
		if err := printer.Fprint(&b, set, n); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }

	var reportDoc, codes string
	for _, d := range parse("checked.go").Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		if s, ok := g.Specs[0].(*ast.TypeSpec); ok && s.Name.Name == "Report" {
			reportDoc = words(g.Doc.Text())
		}
		if g.Tok == token.CONST {
			codes += words(source(g))
		}
	}

	fields, methods, consts := 0, 0, 0
	for _, d := range parse("../internal/finding/finding.go").Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || !d.Name.IsExported() {
				continue
			}
			methods++
			d.Doc, d.Body = nil, nil
			if want := words(source(d)); !strings.Contains(reportDoc, want) {
				t.Errorf("the documentation of Report lacks %q", want)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					consts++
					name := s.Names[0].Name
					value := strings.Trim(source(s.Values[0]), `"`)
					if want := name + " Code = finding." + name + " // " + value + ": "; !strings.Contains(codes, want) {
						t.Errorf("the constants lack %q", want)
					}
				case *ast.TypeSpec:
					typ, ok := s.Type.(*ast.StructType)
					if !ok || s.Name.Name != "Report" {
						continue
					}
					for _, f := range typ.Fields.List {
						fields++
						if want := f.Names[0].Name + " " + source(f.Type) + " //"; !strings.Contains(reportDoc, want) {
							t.Errorf("the documentation of Report lacks %q", want)
						}
					}
				}
			}
		}
	}
	if fields == 0 || methods == 0 || consts == 0 {
		t.Errorf("%d fields, %d methods and %d codes were found", fields, methods, consts)
	}
}
