package testrun

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
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
		pools := make(map[string]bool)
		for _, name := range p.own[dir] {
			text, _ := os.ReadFile(filepath.Join(dir, name))
			for _, m := range declared.FindAllSubmatch(text, -1) {
				for _, pool := range identifier.FindAllString(string(m[1]), -1) {
					pools[pool] = true
				}
			}
			if f, err := parser.ParseFile(set, filepath.Join(dir, name), text, parser.SkipObjectResolution); err == nil {
				files = append(files, f)
			}
		}
		for _, f := range files {
			for _, decl := range f.Decls {
				calls = append(calls, putsIn(set, decl, pools)...)
			}
		}
	}
	return calls
}

var (
	// declared matches names in front of the type sync.Pool, a value of it, or what has, or points to, one or the other.
	declared   = regexp.MustCompile(`(\w+(?:, *\w+)*)(?: +| *:?= *)(?:new\()?[&*\[\]\w]*\bsync\.Pool\b`)
	identifier = regexp.MustCompile(`\w+`)
	// called matches the name of the variable or field that an expression ends with.
	called = regexp.MustCompile(`(\w+)(?:\[.*\]|\))*$`)
)

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
				if sel, ok := m.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Put" && len(m.Args) == 1 && isPool(sel.X, pools) {
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

func isPool(e ast.Expr, pools map[string]bool) bool {
	m := called.FindStringSubmatch(types.ExprString(e))
	return m != nil && pools[m[1]]
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
