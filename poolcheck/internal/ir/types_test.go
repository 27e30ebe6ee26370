package ir

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

// build returns the package of a source text.
func build(t *testing.T, src string) *ssa.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\n"+src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("p", "p"), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// A function counts references to a parameter if it takes one from a number in it.
func TestCounts(t *testing.T) {
	pkg := build(t, `
		type T struct{ n, m int }
		func unref(p *T) { if p.n--; p.n == 0 { p.m = 0 } }
		func add(p *T) { p.n++ }
		func skip(p *T) { p.n -= 2 }
		func other(q *T, p *T) { q.n-- }
	`)
	for name, want := range map[string]bool{"unref": true, "add": false, "skip": false, "other": false} {
		params := pkg.Func(name).Params
		if got := Counts(params[len(params)-1]); got != want {
			t.Errorf("%s counts: %v", name, got)
		}
	}
}

// What is released by a field, and through which fields, is known from a parameter on.
func TestOrigin(t *testing.T) {
	pkg := build(t, `
		type T struct{ b []byte; in struct{ b []byte } }
		func field(p *T) []byte { return p.b[:0] }
		func inner(p *T) []byte { return p.in.b }
		func whole(b []byte) []byte { return b }
		func made() []byte { return make([]byte, 8) }
	`)
	for name, want := range map[string]string{"field": ".b", "inner": ".in.b", "whole": "", "made": "none"} {
		var result ssa.Value
		for i := range Instructions(pkg.Func(name)) {
			if ret, ok := i.(*ssa.Return); ok {
				result = ret.Results[0]
			}
		}
		param, path := Origin(result)
		if param == nil {
			path = "none"
		}
		if path != want {
			t.Errorf("%s returns %q, want %q", name, path, want)
		}
	}
}

// An error leads nowhere, as numbers do; what holds a string may lead to pooled memory.
func TestCarries(t *testing.T) {
	field := func(typ types.Type) types.Type {
		return types.NewStruct([]*types.Var{types.NewField(token.NoPos, nil, "f", typ, false)}, nil)
	}
	for typ, want := range map[types.Type]bool{
		types.Typ[types.Int]: false, errorType: false, types.Typ[types.String]: true,
		field(types.Typ[types.Int]): false, field(types.NewSlice(types.Typ[types.Byte])): true,
		types.NewArray(types.Typ[types.String], 2): true,
	} {
		if got := Carries(typ); got != want {
			t.Errorf("%v carries: %v", typ, got)
		}
	}
}
