package ir

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// Names finds the variable that a value was first assigned to. SSA form has
// forgotten most of them.
type Names struct {
	// The names of results, by the opening parenthesis or brace.
	calls map[token.Pos][]string
}

// NewNames reads the names of the assignments in files.
func NewNames(files []*ast.File) *Names {
	n := &Names{calls: make(map[token.Pos][]string)}
	for _, f := range files {
		ast.Inspect(f, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.AssignStmt:
				n.assign(node.Lhs, node.Rhs)
			case *ast.ValueSpec:
				lhs := make([]ast.Expr, len(node.Names))
				for i, id := range node.Names {
					lhs[i] = id
				}
				n.assign(lhs, node.Values)
			}
			return true
		})
	}
	return n
}

func (n *Names) assign(lhs, rhs []ast.Expr) {
	if len(rhs) == 1 && len(lhs) > 1 {
		if call := callOf(rhs[0]); call != nil {
			for _, l := range lhs {
				n.calls[call.Lparen] = append(n.calls[call.Lparen], nameOf(l))
			}
		}
		return
	}
	for i, r := range rhs {
		if i >= len(lhs) {
			break
		}
		if call := callOf(r); call != nil {
			n.calls[call.Lparen] = []string{nameOf(lhs[i])}
		}
		if u, ok := ast.Unparen(r).(*ast.UnaryExpr); ok && u.Op == token.AND {
			r = u.X
		}
		if lit, ok := ast.Unparen(r).(*ast.CompositeLit); ok {
			n.calls[lit.Lbrace] = []string{nameOf(lhs[i])}
		}
	}
}

// callOf returns the call whose result e is, through assertions and the like.
func callOf(e ast.Expr) *ast.CallExpr {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		return e
	case *ast.TypeAssertExpr:
		return callOf(e.X)
	case *ast.SliceExpr:
		return callOf(e.X)
	case *ast.StarExpr:
		return callOf(e.X)
	}
	return nil
}

func nameOf(e ast.Expr) string {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if e.Name == "_" {
			return ""
		}
		return e.Name
	case *ast.SelectorExpr:
		if x := nameOf(e.X); x != "" {
			return x + "." + e.Sel.Name
		}
		return e.Sel.Name
	case *ast.StarExpr:
		return nameOf(e.X)
	case *ast.IndexExpr:
		return nameOf(e.X)
	}
	return ""
}

// Of returns the name of the variable that r was assigned to, "" if none is known.
func (n *Names) Of(r ssa.Value) string {
	switch r := r.(type) {
	case *ssa.Parameter:
		return r.Name()
	case *ssa.FreeVar:
		return r.Name()
	case *ssa.Alloc:
		switch r.Comment {
		case "makeslice", "slicelit", "varargs", "complit", "new":
			return n.result(r.Pos(), 0)
		}
		return r.Comment
	case *ssa.Call:
		return n.result(r.Pos(), 0)
	case *ssa.Extract:
		return n.result(r.Tuple.Pos(), r.Index)
	case *ssa.UnOp:
		return n.place(r.X)
	}
	return ""
}

// place returns the name of the variable or field that addr points to.
func (n *Names) place(addr ssa.Value) string {
	switch a := addr.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		return n.Of(a)
	case *ssa.Global:
		return a.Name()
	case *ssa.FieldAddr:
		field := Field(a).Name()
		if x := n.Of(a.X); x != "" {
			return x + "." + field
		}
		if x := n.place(a.X); x != "" {
			return x + "." + field
		}
		return field
	}
	return ""
}

// result returns the name that result k of what is at pos was assigned to.
func (n *Names) result(pos token.Pos, k int) string {
	if names := n.calls[pos]; k < len(names) {
		return names[k]
	}
	return ""
}
