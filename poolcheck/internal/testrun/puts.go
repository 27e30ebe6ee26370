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

// A putCall is a call of Put in the source of a main module, and the lines at which it runs: of a deferred call those of
// its function.
type putCall struct {
	file              string
	line, first, last int
}

// putCalls returns the calls of sync.Pool.Put in the files of the main modules that are no tests. Pools are told
// by the names of variables and fields that are declared as such in the package.
func (p *packages) putCalls() (calls []putCall) {
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
			ast.PreorderStack(f, nil, func(n ast.Node, above []ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && isPut(call, pools) {
					calls = append(calls, newPutCall(set, call, above))
				}
				return true
			})
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

func isPut(call *ast.CallExpr, pools map[string]bool) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Put" || len(call.Args) != 1 {
		return false
	}
	m := called.FindStringSubmatch(types.ExprString(sel.X))
	return m != nil && pools[m[1]]
}

// newPutCall describes a call by the nodes above it.
func newPutCall(set *token.FileSet, call *ast.CallExpr, above []ast.Node) putCall {
	at := set.Position(call.Fun.(*ast.SelectorExpr).Sel.Pos())
	c := putCall{file: at.Filename, line: at.Line, first: at.Line, last: at.Line}
	if _, deferred := above[len(above)-1].(*ast.DeferStmt); deferred {
		for _, fn := range above {
			switch fn.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				c.first, c.last = set.Position(fn.Pos()).Line, set.Position(fn.End()).Line
			}
		}
	}
	return c
}

// unreached returns the calls that no place of Put in a report is.
func unreached(calls []putCall, reached map[Frame]bool) (list []putCall) {
	for _, call := range calls {
		found := false
		for f := range reached {
			found = found || f.File == call.file && call.first <= f.Line && f.Line <= call.last
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
