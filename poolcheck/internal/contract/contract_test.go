package contract

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// build returns the package of a source text, which has a pool with the functions get and put.
func build(t *testing.T, src string) (*Package, *ssa.Package) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\nfunc get() []byte { return nil }\nfunc put([]byte) {}\n"+src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, info, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("p", "p"), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	table := api.New()
	if err := table.Extend("acquire p.get\nrelease p.put 0\n"); err != nil {
		t.Fatal(err)
	}
	return New(Config{
		Table: table, Package: pkg.Pkg, Functions: ir.Functions(pkg, []*ast.File{file}, info),
		Declared: func(types.Object) *api.Func { return nil },
	}), pkg
}

// Other packages are told what a function hands out on all of its ways, and what it takes over,
// also on some of them if nothing tells the caller on which.
func TestRow(t *testing.T) {
	p, pkg := build(t, `
		var failed error
		func own() []byte { return get() }
		func ownOrFail(n int) ([]byte, error) { if n > 0 { return nil, failed }; return get(), nil }
		func ownOrNone(n int) []byte { if n > 0 { return nil }; return get() }
		func ownOrTheirs(b []byte, n int) []byte { if n > 0 { return b }; return get() }
		func drop(a, b []byte) { put(b) }
		func dropSome(b []byte, n int) { if n > 0 { put(b) } }
		func tryDrop(b []byte, n int) bool { if n > 0 { put(b); return true }; return false }
		func dropLate(b []byte) { defer put(b); b[0] = 0 }
		func borrow(b []byte) { c := get(); copy(c, b); put(c) }
	`)
	acquires, releases := []api.Effect{{Op: api.Acquire}}, func(arg int) []api.Effect { return []api.Effect{{Op: api.Release, Arg: arg}} }
	for name, want := range map[string][]api.Effect{
		"own": acquires, "ownOrFail": acquires, "ownOrNone": nil, "ownOrTheirs": nil,
		"drop": releases(1), "dropSome": releases(0), "tryDrop": nil, "dropLate": releases(0), "borrow": nil,
	} {
		var got []api.Effect
		if row := p.Row(pkg.Func(name)); row != nil {
			got = row.Effects
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// A function that is too large, or ends in too many ways, is given up; one with too many states is not.
func TestLimits(t *testing.T) {
	repeat := func(n int, line string) string {
		var all strings.Builder
		for i := range n {
			fmt.Fprintf(&all, line+"\n", i)
		}
		return all.String()
	}
	p, pkg := build(t, `
		var x int
		func large(b []byte) {`+repeat(paths.MaxBlocks/2+1, "if x == %d { x++ }")+` put(b) }
		func outcomes(b [][]byte,`+repeat(maxOutcomes+1, "b%d []byte,")+`) { switch x {`+repeat(maxOutcomes+1, "case %[1]d: put(b%[1]d)")+`} }
		func states() { b := get(); put(b); `+repeat(paths.MaxStates, "b%[1]d := get(); if x == %[1]d { put(b%[1]d) }")+` b[0] = 1;
			`+repeat(paths.MaxStates, "put(b%d)")+`}
	`)
	if p.Trace(pkg.Func("large")) != nil {
		t.Error("a function of more blocks than the limit was followed")
	}
	if tr := p.Trace(pkg.Func("outcomes")); tr == nil || tr.Summary != nil {
		t.Errorf("a function of more outcomes than the limit: %+v", tr)
	}
	tr := p.Trace(pkg.Func("states"))
	if tr == nil {
		t.Fatal("a function of more states than the limit was given up")
	}
	var used []domain.Phase
	for _, e := range tr.Events {
		if e.Kind == paths.Uses {
			used = append(used, e.Life.Phase)
		}
	}
	if !slices.Equal(used, []domain.Phase{domain.Released}) {
		t.Errorf("uses in phases %v, want the one of b", used)
	}
}
