package driver

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// files is a module: user imports wrap, which has a pool, and plain, which imports net/http in a function body alone.
const files = `
-- go.mod --
module example.com/m

go 1.26.0
-- user/user.go --
package user

import (
	"example.com/m/plain"
	"example.com/m/wrap"
)

var _, _ = plain.F, wrap.Get
-- user/user_test.go --
package user
-- user/outer_test.go --
package user_test

import _ "example.com/m/user"
-- wrap/wrap.go --
package wrap

import "sync"

var pool sync.Pool

func Get() any { return pool.Get() }
-- plain/plain.go --
package plain

import "net/http"

func F() { http.Get("") }
`

// inModule makes a module of the files the working directory.
func inModule(t *testing.T) {
	t.Helper()
	module, err := txtar.FS(txtar.Parse([]byte(files)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, module); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
}

// analyzed runs an analyzer that notes what it is run on, and leaves a fact on each package.
func analyzed(t *testing.T) (names []string, all []*Package) {
	t.Helper()
	inModule(t)
	var mu sync.Mutex
	a := &analysis.Analyzer{Name: "notes", Doc: "notes", FactTypes: []analysis.Fact{new(mark)}, Run: func(pass *analysis.Pass) (any, error) {
		mu.Lock()
		defer mu.Unlock()
		names = append(names, pass.Pkg.Path())
		for _, imp := range pass.Pkg.Imports() {
			var m mark
			if imp.Name() == "wrap" && (!pass.ImportPackageFact(imp, &m) || m.Path != imp.Path()) {
				return nil, errors.New("no fact on " + imp.Path())
			}
		}
		pass.ExportPackageFact(&mark{pass.Pkg.Path()})
		return nil, nil
	}}
	all, _, err := Run(t.Context(), Config{
		Analyzer: a, Table: api.New(), Patterns: []string{"./user"}, Tests: true, Checked: func(done, all int) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names, all
}

type mark struct{ Path string }

func (*mark) AFact() {}

// What was asked for is analyzed, with its tests, and of what that imports only what may use a pool, before its importers.
func TestRunLeavesOutWhatReachesNoPool(t *testing.T) {
	names, all := analyzed(t)
	if want := []string{"example.com/m/user", "example.com/m/user_test", "example.com/m/wrap"}; !slices.Equal(names, want) {
		t.Errorf("analyzed %q, want %q", names, want)
	}
	if len(all) != 1 || all[0].Path != "example.com/m/user" || !all[0].Checked || all[0].Err != nil {
		t.Errorf("%+v", all[0])
	}
}

// Of a package that is not analyzed, imports that only function bodies name are not read.
func TestDeclarationsReadNoMoreThanTheyName(t *testing.T) {
	u := &unit{Package: &packages.Package{}, imports: map[string]*unit{
		"bytes": {Package: &packages.Package{Name: "bytes"}}, "io": {Package: &packages.Package{Name: "io"}},
		"net/http": {Package: &packages.Package{Name: "http"}}, "os": {Package: &packages.Package{Name: "os"}},
	}}
	const text = `package p

import (
	"bytes"
	"io"
	"net/http"
)

import renamed "os"

import _ "embed"

var w = func(io.Writer) { http.Get("") }

func f(*bytes.Buffer) { renamed.Exit(1) }
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	dropImports(u, f)
	var kept []string
	for _, decl := range f.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			for _, spec := range d.Specs {
				kept = append(kept, spec.(*ast.ImportSpec).Path.Value)
			}
		}
	}
	if want := []string{`"bytes"`, `"io"`}; !slices.Equal(kept, want) {
		t.Errorf("kept %q, want %q", kept, want)
	}
}

// An interrupt leaves packages unchecked, and says so of each.
func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	inModule(t)
	a := &analysis.Analyzer{Name: "none", Doc: "none", Run: func(*analysis.Pass) (any, error) { return nil, nil }}
	all, _, err := Run(ctx, Config{
		Analyzer: a, Table: api.New(), Patterns: []string{"./user", "./wrap"}, // user imports wrap, which comes first
		Checked: func(done, all int) { cancel() },
	})
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, p := range all {
		if p.Checked {
			checked++
		}
	}
	if len(all) != 2 || checked != 1 {
		t.Errorf("%d of %d packages checked, want 1 of 2", checked, len(all))
	}
}
