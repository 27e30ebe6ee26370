package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// A filling looks for proof that every byte of a new slice is written before it is read or handed on. It knows few
// shapes, each of them certain: where proof fails, clear costs little, but old bytes that are read are a bug.
type filling struct {
	function
	obj  types.Object // the variable that alone has the slice
	size ast.Expr     // of the slice
}

// unwritten returns what must be cleared of a slice in place of that which a call of make returns, and why, or "" if
// nothing need be. name is that of the variable which gets the slice.
func (t *tracer) unwritten(made inspector.Cursor, name string) (part, why string) {
	why = t.unproved(made)
	args := made.Node().(*ast.CallExpr).Args
	switch {
	case why == "":
		return "", ""
	case len(args) > 2, made.ParentEdgeKind() == edge.SliceExpr_X, t.is(args[1], 0), t.fate.capacity > 0:
		name += "[:cap(" + name + ")]"
	}
	return name, why
}

// unproved returns why it is not proved that all of the slice is written, or "" if it is.
func (t *tracer) unproved(cur inspector.Cursor) string {
	args := cur.Node().(*ast.CallExpr).Args
	stmt, isAssign := cur.Parent().Node().(*ast.AssignStmt)
	id, _ := assigned(cur, 0).(*ast.Ident)
	switch obj := t.object(id); {
	case t.fate.capacity > 0:
		return fmt.Sprintf("line %d reads its capacity", t.fate.capacity)
	case t.is(args[1], 0):
		return t.lengthened()
	case !isAssign || len(stmt.Lhs) != 1 || obj == nil:
		return "it is used where it is made"
	case obj.Parent() == obj.Pkg().Scope() || t.result(obj) >= 0:
		return obj.Name() + " is a variable that others see"
	case len(args) > 2:
		return "it has room behind its end"
	default:
		return (&filling{t.function, obj, args[1]}).follow(cur.Parent())
	}
}

// lengthened returns why others may see more of an empty slice than is appended to it, or "" if that cannot be. Callers to
// which it is returned have what is appended, for they may make longer what they know to be empty.
func (t *tracer) lengthened() string {
	switch f := t.fate; {
	case f.longer > 0:
		return fmt.Sprintf("line %d may show bytes behind its end", f.longer)
	case f.ends == Here, f.returned && f.grows && !f.emptied && len(t.seen) == 1:
		return ""
	}
	return "others may show bytes behind its end"
}

// follow looks at the statements behind that which makes the slice, up to the first that has a part in it.
func (w *filling) follow(stmt inspector.Cursor) string {
	if !isList(stmt.ParentEdgeKind()) {
		return "it is made in the head of a statement"
	}
	sized := true // what the size is computed from has not changed
	for next, ok := stmt.NextSibling(); ok; next, ok = next.NextSibling() {
		n := next.Node()
		switch {
		case w.mentions(n) == 0 && contains[*ast.BranchStmt](n):
			return fmt.Sprintf("line %d may leave before it is written", w.line(n))
		case w.mentions(n) == 0:
			sized = false
		case w.whole(next, sized):
			return ""
		default:
			return fmt.Sprintf("line %d may read or hand on bytes that are not written", w.line(n))
		}
	}
	return "it is not written for certain"
}

// whole reports whether a statement writes the slice from end to end, and reads none of it before.
func (w *filling) whole(stmt inspector.Cursor, sized bool) bool {
	switch n := stmt.Node().(type) {
	case *ast.ExprStmt:
		call, ok := n.X.(*ast.CallExpr)
		return ok && len(call.Args) > 0 && w.mine(call.Args[0]) && w.mentions(n) == 1 && sized && w.copies(call)
	case *ast.AssignStmt: // _, err := io.ReadFull(r, b)
		if next, ok := stmt.NextSibling(); ok {
			check, ok := next.Node().(*ast.IfStmt)
			return ok && check.Init == nil && w.reads(n, check)
		}
	case *ast.IfStmt:
		read, ok := n.Init.(*ast.AssignStmt)
		return ok && w.reads(read, n)
	}
	return false
}

// copies reports whether a call copies the whole slice from the one whose length it has.
func (w *filling) copies(call *ast.CallExpr) bool {
	size, ok := w.size.(*ast.CallExpr)
	return ok && w.builtin(call, "copy") && w.builtin(size, "len") && w.same(call.Args[len(call.Args)-1], size.Args[0])
}

// reads reports whether the assignment reads into the whole slice or fails, and the check leaves the function if so.
func (w *filling) reads(read *ast.AssignStmt, check *ast.IfStmt) bool {
	call, isCall := read.Rhs[0].(*ast.CallExpr)
	cond, isBinary := check.Cond.(*ast.BinaryExpr)
	if !isCall || !isBinary || len(read.Lhs) != 2 || w.mentions(check.Body) > 0 || len(check.Body.List) == 0 {
		return false
	}
	name, _ := w.callee(call)
	_, leaves := check.Body.List[len(check.Body.List)-1].(*ast.ReturnStmt)
	return name == "io.ReadFull" && len(call.Args) == 2 && w.mentions(call) == 1 && w.mine(call.Args[1]) && leaves && !contains[*ast.BranchStmt](check.Body) &&
		cond.Op == token.NEQ && w.info.Types[cond.Y].IsNil() && w.same(cond.X, read.Lhs[1])
}

// same reports whether two expressions, one evaluated right behind the other, have the same value.
func (w *filling) same(a, b ast.Expr) bool {
	switch a := a.(type) {
	case *ast.Ident:
		b, _ := b.(*ast.Ident)
		return w.object(a) != nil && w.object(a) == w.object(b)
	case *ast.SelectorExpr:
		b, ok := b.(*ast.SelectorExpr)
		return ok && a.Sel.Name == b.Sel.Name && w.same(a.X, b.X)
	}
	return false
}

// mine reports whether an expression is the whole slice.
func (w *filling) mine(e ast.Expr) bool {
	if s, ok := e.(*ast.SliceExpr); ok && s.Low == nil && s.High == nil {
		e = s.X
	}
	id, _ := e.(*ast.Ident)
	return w.object(id) == w.obj
}

// mentions counts how often the variable stands in a node, or may, where types are missing.
func (w *filling) mentions(n ast.Node) (count int) {
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if o := w.object(id); o == w.obj || o == nil && id.Name == w.obj.Name() {
				count++
			}
		}
		return true
	})
	return count
}
