package testrun

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A putCall is a call of Put in the source of a main module, and the lines of its function: a deferred call
// runs at another line.
type putCall struct {
	file              string
	line, first, last int
	deferred          bool
}

// putCalls returns the calls of sync.Pool.Put in the files of the main modules that are no tests. Pools are told
// by the names of variables and fields that are declared as such in the package.
func (p *packages) putCalls() []putCall {
	var calls []putCall
	for _, dir := range slices.Sorted(maps.Keys(p.own)) {
		set := token.NewFileSet()
		var files []*ast.File
		for _, name := range p.own[dir] {
			if f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.SkipObjectResolution); err == nil {
				files = append(files, f)
			}
		}
		pools := make(map[string]bool)
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool { namePools(n, pools); return true })
		}
		for _, f := range files {
			for _, decl := range f.Decls {
				calls = append(calls, putsIn(set, decl, pools)...)
			}
		}
	}
	return calls
}

// namePools adds the names of pools that a declaration has.
func namePools(n ast.Node, pools map[string]bool) {
	add := func(names []*ast.Ident, of ...ast.Expr) {
		if slices.ContainsFunc(of, isPool) {
			for _, name := range names {
				pools[name.Name] = true
			}
		}
	}
	switch n := n.(type) {
	case *ast.Field:
		add(n.Names, n.Type)
	case *ast.ValueSpec:
		add(n.Names, append(n.Values, n.Type)...)
	case *ast.AssignStmt:
		for i, l := range n.Lhs {
			if id, ok := l.(*ast.Ident); ok && len(n.Rhs) == len(n.Lhs) {
				add([]*ast.Ident{id}, n.Rhs[i])
			}
		}
	}
}

// isPool reports whether an expression is the type sync.Pool, a value of it, or a pointer to one or the other.
func isPool(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		x, ok := e.X.(*ast.Ident)
		return ok && x.Name == "sync" && e.Sel.Name == "Pool"
	case *ast.StarExpr:
		return isPool(e.X)
	case *ast.UnaryExpr:
		return isPool(e.X)
	case *ast.CompositeLit:
		return isPool(e.Type)
	case *ast.ArrayType:
		return isPool(e.Elt)
	case *ast.MapType:
		return isPool(e.Value)
	case *ast.CallExpr: // new(sync.Pool)
		return len(e.Args) == 1 && isPool(e.Args[0])
	}
	return false
}

// putsIn returns the calls of Put in a declaration.
func putsIn(set *token.FileSet, decl ast.Decl, pools map[string]bool) (calls []putCall) {
	within := []ast.Node{decl} // the functions around
	var visit func(n ast.Node, deferred bool)
	visit = func(n ast.Node, deferred bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				if m == n {
					return true
				}
				within = append(within, m)
				visit(m, false)
				within = within[:len(within)-1]
				return false
			case *ast.DeferStmt:
				visit(m.Call, true)
				return false
			case *ast.CallExpr:
				if sel, ok := m.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Put" && len(m.Args) == 1 && pools[lastName(sel.X)] {
					at, fn := set.Position(sel.Sel.Pos()), within[len(within)-1]
					calls = append(calls, putCall{at.Filename, at.Line, set.Position(fn.Pos()).Line, set.Position(fn.End()).Line, deferred && m == n})
				}
			}
			return true
		})
	}
	visit(decl, false)
	return calls
}

// lastName returns the name of the variable or field that an expression ends with.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.IndexExpr:
		return lastName(e.X)
	case *ast.ParenExpr:
		return lastName(e.X)
	case *ast.StarExpr:
		return lastName(e.X)
	}
	return ""
}

// unreached returns the calls that no place of Put in a report is.
func unreached(calls []putCall, reached map[Frame]bool) (list []putCall) {
	for _, call := range calls {
		found := false
		for f := range reached {
			found = found || f.File == call.file && (f.Line == call.line || call.deferred && call.first <= f.Line && f.Line <= call.last)
		}
		if !found {
			list = append(list, call)
		}
	}
	return list
}

func (c putCall) String() string { return filepath.Base(c.file) + ":" + strconv.Itoa(c.line) }

// names joins the first of some places.
func names(calls []putCall) string {
	const most = 10
	var list []string
	for _, c := range calls[:min(len(calls), most)] {
		list = append(list, c.String())
	}
	if n := len(calls) - most; n > 0 {
		list = append(list, strconv.Itoa(n)+" more")
	}
	return strings.Join(list, ", ")
}
