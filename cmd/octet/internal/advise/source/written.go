package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// A filling looks for proof that every byte of a new slice is written before it is read or handed on. It knows few
// shapes, each of them certain: where proof fails, clear costs little, but old bytes that are read are a bug.
type filling struct {
	function
	obj     types.Object // the variable that alone has the slice
	size    ast.Expr     // of the slice
	appends bool         // to it, in the assignment before what is looked at
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
	empty := t.is(args[1], 0)
	if cut, ok := cur.Parent().Node().(*ast.SliceExpr); ok && t.is(cut.High, 0) {
		cur, empty = cur.Parent(), true
	}
	stmt, isAssign := cur.Parent().Node().(*ast.AssignStmt)
	id, _ := assigned(cur, 0).(*ast.Ident)
	switch {
	case t.fate.capacity > 0:
		return fmt.Sprintf("line %d reads its capacity", t.fate.capacity)
	case !isAssign || len(stmt.Lhs) != 1 || t.object(id) == nil:
		return "it is used where it is made"
	}
	w := &filling{function: t.function, obj: t.object(id), size: args[1]}
	if why := w.seen(empty); why != "" || empty {
		return why
	}
	if len(args) > 2 {
		return "it has room behind its end"
	}
	return w.follow(cur.Parent())
}

// seen returns where others than the statements of the function see the variable, or what it does not show is used; or
// "". If it was made empty, nothing but append may lengthen it.
func (w *filling) seen(empty bool) string {
	if w.obj.Parent() == w.obj.Pkg().Scope() {
		return w.obj.Name() + " is a variable of the package"
	}
	for cur := range w.cur.Preorder((*ast.Ident)(nil)) {
		if w.mentions(cur.Node()) == 0 {
			continue
		}
		what := ""
		switch kind := cur.ParentEdgeKind(); {
		case inClosure(cur, w.obj) || kind == edge.UnaryExpr_X:
			what = "lets others have the variable"
		case kind == edge.Field_Names:
			what = "has it as a parameter or a result"
		case empty && !w.bounded(cur):
			what = "may show bytes behind its end"
		default:
			continue
		}
		return fmt.Sprintf("line %d %s", w.line(cur.Node()), what)
	}
	return ""
}

// bounded reports whether the value of an expression is used for no more than the bytes that it shows, or appended to.
func (w *filling) bounded(cur inspector.Cursor) bool {
	switch kind, i := cur.ParentEdge(); kind {
	case edge.AssignStmt_Lhs, edge.ValueSpec_Names, edge.RangeStmt_X:
		return true
	case edge.IndexExpr_X: // but not by &b[0], behind which all is seen
		return cur.Parent().ParentEdgeKind() != edge.UnaryExpr_X
	case edge.SliceExpr_X:
		cut := cur.Parent().Node().(*ast.SliceExpr)
		return (cut.High == nil || w.is(cut.High, 0)) && w.bounded(cur.Parent())
	case edge.AssignStmt_Rhs:
		_, w.appends = cur.Node().(*ast.CallExpr)
		return i == 0 && w.mine(cur.Parent().Node().(*ast.AssignStmt).Lhs[0])
	case edge.ReturnStmt_Results: // a caller makes longer what it knows to be empty
		return w.appends
	case edge.CallExpr_Args:
		call := cur.Parent().Node().(*ast.CallExpr)
		if i == 0 && w.appended(call) {
			return w.bounded(cur.Parent())
		}
		name, _ := w.callee(call)
		return w.builtin(call, "append") && call.Ellipsis.IsValid() || w.builtin(call, "len") || w.builtin(call, "copy") || w.builtin(call, "string") || treat(name) == borrows
	}
	return false
}

// appended reports whether a call returns its first argument with bytes behind it: append, or a function of the standard
// library that appends.
func (w *filling) appended(call *ast.CallExpr) bool {
	name, _ := w.callee(call)
	to, _ := call.Fun.(*ast.SelectorExpr)
	return w.builtin(call, "append") || treat(name) == shows && strings.HasPrefix(to.Sel.Name, "Append") &&
		(name != "."+to.Sel.Name || w.encoding(to.X))
}

// encoding reports whether an expression is of one of the packages encoding/hex and so on, such as binary.BigEndian.
func (w *filling) encoding(e ast.Expr) bool { return strings.HasPrefix(w.from(e), "encoding/") }

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
		return ok && len(call.Args) > 0 && w.mine(call.Args[0]) && w.mentions(n) == 1 && w.writes(call, sized)
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

// writes reports whether a call writes the whole slice, its first argument.
func (w *filling) writes(call *ast.CallExpr, sized bool) bool {
	name, _ := w.callee(call)
	from := call.Args[len(call.Args)-1]
	to, isMethod := call.Fun.(*ast.SelectorExpr)
	switch {
	case name == "crypto/rand.Read": // which returns no error
		return true
	case !sized:
		return false
	case w.builtin(call, "copy"):
		return w.long(from, w.size)
	case !isMethod || !w.encoding(to.X):
		return false
	case to.Sel.Name == "Encode": // of hex, base64 and base32, which write no more and no less than EncodedLen
		size, ok := w.size.(*ast.CallExpr)
		if !ok || len(size.Args) != 1 {
			return false
		}
		length, ok := size.Fun.(*ast.SelectorExpr)
		return ok && length.Sel.Name == "EncodedLen" && w.same(length.X, to.X) && w.long(from, size.Args[0])
	}
	return w.is(w.size, map[string]int64{"PutUint16": 2, "PutUint32": 4, "PutUint64": 8}[to.Sel.Name])
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

// long reports whether the length of an expression certainly has that value.
func (w *filling) long(e, value ast.Expr) bool {
	if n, ok := value.(*ast.CallExpr); ok && w.builtin(n, "len") && w.same(e, n.Args[0]) {
		return true
	}
	s, ok := e.(*ast.SliceExpr)
	if !ok || contains[*ast.CallExpr](s.X) || contains[*ast.UnaryExpr](s.X) { // which may change the value
		return false
	}
	end, ok := s.High.(*ast.BinaryExpr) // x[i : i+n]
	return s.Low == nil && w.same(s.High, value) || ok && end.Op == token.ADD && w.same(end.X, s.Low) && w.same(end.Y, value)
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
