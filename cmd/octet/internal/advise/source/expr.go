package source

import (
	"bytes"
	"go/ast"
	"go/printer"
	"slices"
	"strings"
)

// An allocation is an expression that allocates bytes.
type allocation struct {
	expr ast.Expr
	form form
	src  ast.Expr // what is copied
	size ast.Expr // of make: the length
	room ast.Expr // of make: the capacity, if it is another
}

type form int

const (
	makes form = iota
	clones
	converts
	appends
)

// allocations returns the expressions at a line that allocate bytes.
func (p *pkg) allocations(fn *ast.FuncDecl, line int) (all []allocation) {
	p.at(fn, line, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return
		}
		name, obj := p.callee(call)
		if obj != nil && obj.Pkg() != nil {
			name = ""
		}
		switch {
		case name == "make" && len(call.Args) > 1 && p.isByteSlice(call.Args[0]):
			a := allocation{expr: call, form: makes, size: call.Args[1]}
			if len(call.Args) > 2 {
				a.room = call.Args[2]
			}
			all = append(all, a)
		case name == "append" && len(call.Args) > 1 && p.isBytes(call):
			a := allocation{expr: call, form: appends}
			if call.Ellipsis.IsValid() && isEmpty(call.Args[0]) {
				a.form, a.src = clones, call.Args[1]
			}
			all = append(all, a)
		case len(call.Args) == 1 && p.isByteSlice(call.Fun) && !p.isBytes(call.Args[0]):
			all = append(all, allocation{expr: call, form: converts, src: call.Args[0]})
		}
	})
	return all
}

// isByteSlice reports whether a type is a slice of bytes.
func (p *pkg) isByteSlice(e ast.Expr) bool {
	if tv, ok := p.info.Types[e]; ok && !tv.IsType() {
		return false
	}
	if p.isBytes(e) {
		return true
	}
	a, ok := ast.Unparen(e).(*ast.ArrayType)
	if !ok || a.Len != nil {
		return false
	}
	id, ok := a.Elt.(*ast.Ident)
	return ok && (id.Name == "byte" || id.Name == "uint8")
}

// isEmpty reports whether the expression is a slice without room, such as []byte(nil) and []byte{}.
func isEmpty(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if len(e.Args) != 1 {
			return false
		}
		id, ok := ast.Unparen(e.Args[0]).(*ast.Ident)
		return ok && id.Name == "nil"
	case *ast.CompositeLit:
		return len(e.Elts) == 0
	}
	return false
}

// bufferOf returns the variable of type bytes.Buffer that the function declares, if it has one such.
func (p *pkg) bufferOf(fn *ast.FuncDecl) (found *ast.Ident) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		var names []*ast.Ident
		switch n := n.(type) {
		case *ast.ValueSpec:
			if n.Type != nil && p.isBuffer(n.Type) || len(n.Values) == 1 && p.isBuffer(n.Values[0]) {
				names = n.Names
			}
		case *ast.AssignStmt:
			for i, r := range n.Rhs {
				if id, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && p.isBuffer(r) {
					names = append(names, id)
				}
			}
		}
		for _, id := range names {
			if found == nil && id.Name != "_" {
				found = id
			}
		}
		return true
	})
	return found
}

// isBuffer reports whether the expression is the type bytes.Buffer or a new one.
func (p *pkg) isBuffer(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.SelectorExpr:
		id, ok := e.X.(*ast.Ident)
		return ok && e.Sel.Name == "Buffer" && p.imported(id) == "bytes"
	case *ast.UnaryExpr:
		return p.isBuffer(e.X)
	case *ast.CompositeLit:
		return e.Type != nil && p.isBuffer(e.Type)
	case *ast.CallExpr:
		switch name, _ := p.callee(e); name {
		case "new":
			return len(e.Args) == 1 && p.isBuffer(e.Args[0])
		case "bytes.NewBuffer":
			return len(e.Args) == 1 && (p.text(e.Args[0]) == "nil" || isEmpty(e.Args[0]) || strings.HasPrefix(p.text(e.Args[0]), "make("))
		}
	}
	return false
}

// callsAt returns the calls at a line of a function that profiles know by name.
func (p *pkg) callsAt(fn *ast.FuncDecl, line int, name string) (all []*ast.CallExpr) {
	short := ShortName(name)
	short = short[strings.LastIndexByte(short, '.')+1:]
	p.at(fn, line, func(n ast.Node) {
		if call, ok := n.(*ast.CallExpr); ok {
			if called, _ := p.callee(call); called[strings.LastIndexByte(called, '.')+1:] == short {
				all = append(all, call)
			}
		}
	})
	return all
}

// inLoop reports whether the node is in a loop of its function.
func (p *pkg) inLoop(n ast.Node) bool {
	for n = p.up[n]; n != nil; n = p.up[n] {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			return true
		case *ast.FuncLit:
			return false
		}
	}
	return false
}

// text returns an expression as source in one line, and not at length.
func (p *pkg) text(e ast.Expr) string {
	if e == nil {
		return ""
	}
	var b bytes.Buffer
	if printer.Fprint(&b, p.fset, e) != nil {
		return "…"
	}
	s := strings.Join(strings.Fields(b.String()), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}

// variableOf returns the name of the variable that the expression is assigned to, or its result of that number, or b.
func (p *pkg) variableOf(e ast.Expr, result int) string {
	switch up := p.up[e].(type) {
	case *ast.SliceExpr, *ast.ParenExpr, *ast.UnaryExpr:
		return p.variableOf(up.(ast.Expr), result)
	case *ast.AssignStmt:
		at := result
		if len(up.Lhs) == len(up.Rhs) {
			at = slices.Index(up.Rhs, e)
		}
		if id, ok := up.Lhs[min(max(at, 0), len(up.Lhs)-1)].(*ast.Ident); ok && id.Name != "_" {
			return id.Name
		}
	case *ast.ValueSpec:
		return up.Names[0].Name
	}
	return "b"
}
