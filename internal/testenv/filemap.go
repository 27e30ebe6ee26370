package testenv

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// WantFileMap fails t unless the map of the package in the current directory, which
// is that of the test, names the files in Go and assembly that are there. A map is
// what follows the heading "# Map" in a comment, of the package or by itself:
// indented lines that begin with a file's name, or several with commas between, or
// a pattern such as item_*.go. Test files are left out.
func WantFileMap(t testing.TB) {
	t.Helper()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	sources = slices.DeleteFunc(sources, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	assembly, err := filepath.Glob("*.s")
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, name := range sources {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Comments {
			patterns = append(patterns, mapped(c)...)
		}
	}
	if patterns == nil {
		t.Fatal("no comment of the package has a map of its files")
	}
	unused := slices.Clone(patterns)
	for _, name := range slices.Concat(sources, assembly) {
		matches := func(pattern string) bool {
			ok, err := filepath.Match(pattern, name)
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		if !slices.ContainsFunc(patterns, matches) {
			t.Errorf("the map leaves out %s", name)
		}
		unused = slices.DeleteFunc(unused, matches)
	}
	for _, pattern := range unused {
		t.Errorf("the map names %s, which is not there", pattern)
	}
}

// mapped returns the names that the map in a comment has, if there is one.
func mapped(c *ast.CommentGroup) (names []string) {
	inMap := false
	for line := range strings.Lines(c.Text()) {
		if strings.HasPrefix(line, "# ") {
			inMap = strings.TrimSpace(line) == "# Map"
		}
		if !inMap || !strings.HasPrefix(line, "\t") {
			continue
		}
		for _, word := range strings.Fields(line) {
			name, more := strings.CutSuffix(word, ",")
			if ext := filepath.Ext(name); ext != ".go" && ext != ".s" {
				break
			}
			names = append(names, name)
			if !more {
				break
			}
		}
	}
	return names
}
