package ir

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/astutil"
	"golang.org/x/tools/go/ssa"
)

// Names finds the variables that values were assigned to, of which SSA form has forgotten most, in the
// files of a package.
type Names []*ast.File

// Of returns the name of the variable that v, or its result k if that is a call, was assigned to, "" if
// none is known.
func (n Names) Of(v ssa.Value, k int) string {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar, *ssa.Global:
		return v.Name()
	case *ssa.Alloc:
		switch v.Comment {
		case "makeslice", "slicelit", "varargs", "complit", "new":
			return n.assigned(v.Pos(), 0)
		}
		return v.Comment
	case *ssa.Call:
		return n.assigned(v.Pos(), k)
	case *ssa.Extract:
		return n.Of(v.Tuple, v.Index)
	case *ssa.UnOp:
		return n.Of(v.X, 0)
	case *ssa.FieldAddr:
		if x := n.Of(v.X, 0); x != "" {
			return x + "." + Field(v).Name()
		}
		return Field(v).Name()
	}
	return ""
}

// assigned returns what value k of the expression at pos is assigned to, directly or through assertions and
// the like.
func (n Names) assigned(pos token.Pos, k int) string {
	for _, f := range n {
		if pos < f.FileStart || f.FileEnd <= pos {
			continue
		}
		path, _ := astutil.PathEnclosingInterval(f, pos, pos)
		for i, node := range path {
			switch node := node.(type) {
			case *ast.AssignStmt:
				return target(node.Lhs, node.Rhs, path[max(i-1, 0)], k)
			case *ast.ValueSpec:
				var lhs []ast.Expr
				for _, id := range node.Names {
					lhs = append(lhs, id)
				}
				return target(lhs, node.Values, path[max(i-1, 0)], k)
			case *ast.CallExpr:
				if i > 0 && path[i-1] != node.Fun && pos != node.Lparen && !IsAppendTo(node, path[i-1]) {
					return "" // an argument
				}
			case *ast.TypeAssertExpr, *ast.SliceExpr, *ast.StarExpr, *ast.ParenExpr, *ast.UnaryExpr, *ast.CompositeLit,
				*ast.SelectorExpr, *ast.Ident, *ast.IndexExpr:
			default:
				return ""
			}
		}
	}
	return ""
}

// IsAppendTo reports whether call is the built-in append to dst, whose memory it returns if there is room.
func IsAppendTo(call *ast.CallExpr, dst ast.Node) bool {
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "append" && len(call.Args) > 0 && ast.Node(call.Args[0]) == dst
}

// target returns the name in lhs of value k of the expression e in rhs.
func target(lhs, rhs []ast.Expr, e ast.Node, k int) string {
	if i := slices.IndexFunc(rhs, func(r ast.Expr) bool { return r == e }); i >= 0 && len(lhs) == len(rhs) {
		k = i
	}
	if k >= len(lhs) {
		return ""
	}
	l := lhs[k]
	if x, ok := l.(*ast.IndexExpr); ok {
		l = x.X
	}
	if name := types.ExprString(l); name != "_" {
		return name
	}
	return ""
}
