package source

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
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
		case name == "make" && len(call.Args) > 1 && p.isBytes(call.Args[0]):
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
		case len(call.Args) == 1 && p.isBytes(call.Fun) && !p.isBytes(call.Args[0]):
			all = append(all, allocation{expr: call, form: converts, src: call.Args[0]})
		}
	})
	return all
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

// callsAt returns the calls at a line of a function, by the name that it has in profiles.
func (p *pkg) callsAt(fn *ast.FuncDecl, line int, name string) (all []*ast.CallExpr) {
	short := name[strings.LastIndexByte(ShortName(name), '.')+1+len(name)-len(ShortName(name)):]
	p.at(fn, line, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		// Of methods and of functions of the same package the name alone is known.
		called, _ := p.callee(call)
		if called == name || strings.TrimPrefix(called, ".") == short {
			all = append(all, call)
		}
	})
	return all
}

// loop returns the outermost loop that has the node and not the declaration at pos; if there is none, it
// reports whether the node is in a loop at all.
func (p *pkg) loop(n ast.Node, pos token.Pos) (outer ast.Node, in bool) {
	for n = p.up[n]; n != nil; n = p.up[n] {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			in = true
			if pos.IsValid() && (pos < n.Pos() || pos > n.End()) {
				outer = n
			}
		case *ast.FuncLit:
			return outer, in
		}
	}
	return outer, in
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

// length returns the text of a length as an int: make takes any integer.
func (p *pkg) length(e ast.Expr) string {
	if tv, ok := p.info.Types[e]; ok && tv.Value == nil {
		if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 && tv.Type != types.Typ[types.Int] {
			return "int(" + p.text(e) + ")"
		}
	}
	return p.text(e)
}

// A target is what an expression is assigned to.
type target struct {
	name string // b if it is not assigned to a variable
	op   string // := or =
	pos  token.Pos
}

func (v target) String() string { return v.name + " " + v.op }

// targetOf returns what the expression, or its result of that number, is assigned to.
func (p *pkg) targetOf(e ast.Expr, result int) target {
	switch up := p.up[e].(type) {
	case *ast.SliceExpr, *ast.ParenExpr, *ast.UnaryExpr:
		return p.targetOf(up.(ast.Expr), result)
	case *ast.AssignStmt:
		at := result
		if len(up.Lhs) == len(up.Rhs) {
			at = slices.Index(up.Rhs, e)
		}
		if id, ok := up.Lhs[min(max(at, 0), len(up.Lhs)-1)].(*ast.Ident); ok && id.Name != "_" {
			v := target{name: id.Name, op: up.Tok.String()}
			if obj := p.object(id); obj != nil {
				v.pos = obj.Pos()
			}
			return v
		}
	case *ast.ValueSpec:
		return target{up.Names[0].Name, ":=", up.Names[0].Pos()}
	}
	return target{name: "b", op: ":="}
}
