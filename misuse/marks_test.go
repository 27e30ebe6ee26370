package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// words are the words of marks, which are titles of stacks in reports.
var words = []string{"acquired", "released", "now"}

// marks are the marked places of a program: file:line by word.
type marks map[string][]string

// mark matches the comment of a marked line.
var mark = regexp.MustCompile(`^// ((?:acquired|released|now)(?:, (?:acquired|released|now))*)$`)

// readMarks returns the marks of each function in this folder.
func readMarks(t *testing.T) map[string]marks {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]marks)
	set := token.NewFileSet()
	for _, name := range files {
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range f.Comments {
			for _, c := range group.List {
				m := mark.FindStringSubmatch(c.Text)
				if m == nil {
					continue
				}
				place := set.Position(c.Pos())
				fn := functionAt(f, set, place.Line)
				if fn == "" {
					t.Fatalf("%v: a mark outside of all functions", place)
				}
				if all[fn] == nil {
					all[fn] = make(marks)
				}
				for word := range strings.SplitSeq(m[1], ", ") {
					all[fn][word] = append(all[fn][word], name+":"+strconv.Itoa(place.Line))
				}
			}
		}
	}
	// A mark elsewhere would have no effect.
	for fn := range all {
		if _, ok := find(fn); !ok {
			t.Errorf("there are marks in %s, which is no program", fn)
		}
	}
	return all
}

// functionAt returns the name of the function that has the line.
func functionAt(f *ast.File, set *token.FileSet, line int) string {
	i := slices.IndexFunc(f.Decls, func(d ast.Decl) bool {
		_, ok := d.(*ast.FuncDecl)
		return ok && set.Position(d.Pos()).Line <= line && line <= set.Position(d.End()).Line
	})
	if i < 0 {
		return ""
	}
	return f.Decls[i].(*ast.FuncDecl).Name.Name
}
