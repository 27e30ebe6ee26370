package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// An Edit is how the source changes at a site.
type Edit struct {
	Why   string // the source cannot be changed by a command; the rest is empty
	File  string // of this machine
	Parts []Part // in the order of the file
	// Last is where the last user is thought to be, if that is elsewhere.
	Last Place
}

// A Part is a text that stands in place of some bytes of a file.
type Part struct {
	Start, End int
	Text       string
}

// A Place is a line of a file of this machine.
type Place struct {
	File string
	Line int
	Text string // a comment for it
}

// Pool is the package that the edits import.
const Pool = "github.com/octet-go/octet/bytespool"

// edit returns the change of a statement that assigns new bytes to a variable. made is the text in place of the call.
func (t *tracer) edit(cur inspector.Cursor, made string) *Edit {
	no := func(format string, args ...any) *Edit { return &Edit{Why: fmt.Sprintf(format, args...)} }
	call := cur.Node().(*ast.CallExpr)
	if _, plain := t.info.Types[call].Type.(*types.Slice); !plain {
		return no("it is no []byte, which a pool returns")
	}
	id, ok := assigned(cur, 0).(*ast.Ident)
	stmt := cur.Parent()
	a, isAssign := stmt.Node().(*ast.AssignStmt)
	if !ok || !isAssign || len(a.Lhs) != 1 || t.object(id) == nil || !isList(stmt.ParentEdgeKind()) {
		return no("give the slice a variable of its own first, in a statement of its own")
	}
	v := t.object(id)
	for _, name := range []string{"bytespool", "clear"} {
		if _, o := v.Parent().LookupParent(name, a.Pos()); o != nil && o != types.Universe.Lookup(name) && !isPool(o) {
			return no("%s is the name of something else here", name)
		}
	}
	if _, in := loop(cur, token.NoPos); in && t.fate.ends == Here {
		return no("a defer in a loop runs after it: release it after line %d, its last use", t.fate.last)
	}
	if t.fate.capacity > 0 {
		return no("line %d reads its capacity, and a slice of a pool has more", t.fate.capacity)
	}
	w := &filling{function: t.function, obj: v}
	lines := []string{""}
	if t.builtin(call, "make") {
		if part, why := t.unwritten(cur, id.Name); why != "" {
			lines = append(lines, "clear("+part+")")
		}
	}
	e := &Edit{File: t.fset.File(call.Pos()).Name(), Parts: []Part{t.part(call, made)}}
	if t.fate.ends == Here {
		changed, other, why := t.reassignments(w, a)
		switch {
		case why != "":
			return no("%s", why)
		case changed && other > 0:
			return no("it grows, and line %d gives the variable other memory", other)
		case t.fate.mixed > 0: // what it holds here is released, whatever it holds at the end
			lines = append(lines, "defer bytespool.Release("+id.Name+")")
		case changed && t.fate.cut:
			return no("%s grows and loses its front: keep the whole in another variable", id.Name)
		case changed: // the slice that is held at the end
			lines = append(lines, "defer func() { bytespool.Release("+id.Name+") }()")
			if a.Tok == token.DEFINE { // or the variable may be appended to without this slice
				e.Parts = append(e.Parts, t.appends(w)...)
			}
		default:
			lines = append(lines, "defer bytespool.Release("+id.Name+")")
		}
	}
	end := t.fset.Position(stmt.Node().End()).Offset
	e.Parts = append(e.Parts, Part{end, end, strings.Join(lines, "\n")})
	slices.SortFunc(e.Parts, func(a, b Part) int { return a.Start - b.Start })
	return e
}

// appends returns the parts that append to the variable by the pool, which releases what is too small. Where other
// variables have the same memory, append stays, and leaves that to the collector.
func (t *tracer) appends(w *filling) (parts []Part) {
	for cur := range t.cur.Preorder((*ast.CallExpr)(nil)) {
		call := cur.Node().(*ast.CallExpr)
		to := assigned(cur, 0)
		if len(t.seen) > 1 || !t.builtin(call, "append") || to == nil || !w.mine(to) || !w.mine(call.Args[0]) {
			continue
		}
		last := call.Args[len(call.Args)-1]
		switch typ := t.info.Types[last].Type; {
		case !call.Ellipsis.IsValid() || t.isBytes(last) && !t.builtin(last, "make"):
			parts = append(parts, t.part(call.Fun, "bytespool.Append"))
		case typ == types.Typ[types.String] || typ == types.Typ[types.UntypedString]:
			parts = append(parts, t.part(call, "bytespool.Append("+whole(call.Args[0])+", []byte("+whole(last)+")...)"))
		}
	}
	return parts
}

// reassignments reports whether the variable gets a slice that has grown, the line where it gets other memory, if any, and
// why the first one cannot be told from what the variable holds at the end, if so.
func (t *tracer) reassignments(w *filling, first *ast.AssignStmt) (grows bool, other int, why string) {
	for cur := range t.cur.Preorder((*ast.Ident)(nil), (*ast.BranchStmt)(nil)) {
		n, line := cur.Node(), t.line(cur.Node())
		if b, ok := n.(*ast.BranchStmt); ok {
			if b.Tok == token.GOTO {
				return false, 0, fmt.Sprintf("line %d may go back to it", line)
			}
			continue
		}
		if w.mentions(n) == 0 {
			continue
		}
		switch kind, i := cur.ParentEdge(); kind {
		case edge.UnaryExpr_X:
			return false, 0, fmt.Sprintf("line %d takes the variable's address", line)
		case edge.BinaryExpr_X, edge.BinaryExpr_Y:
			return false, 0, fmt.Sprintf("line %d compares it with nil, which no slice of a pool is", line)
		case edge.CallExpr_Args:
			to := assigned(cur.Parent(), 0)
			if i == 0 && t.builtin(cur.Parent().Node(), "append") && (to == nil || !w.mine(to)) {
				return false, 0, fmt.Sprintf("line %d appends to it and keeps both: capacity that make did not give would be shared", line)
			}
		case edge.AssignStmt_Lhs:
			a := cur.Parent().Node().(*ast.AssignStmt)
			if a == first {
				continue
			}
			if !slices.ContainsFunc(a.Rhs, func(e ast.Expr) bool { return w.mentions(e) > 0 }) {
				other = line
				continue
			}
			grows = grows || slices.ContainsFunc(a.Rhs, func(e ast.Expr) bool { return contains[*ast.CallExpr](e) })
		}
	}
	return grows, other, ""
}

// part returns the part that a text takes the place of a node in.
func (p *pkg) part(n ast.Node, text string) Part {
	return Part{p.fset.Position(n.Pos()).Offset, p.fset.Position(n.End()).Offset, text}
}

func isPool(o types.Object) bool {
	name, ok := o.(*types.PkgName)
	return ok && name.Imported().Path() == Pool
}

// isList reports whether a statement of that kind is one of a list.
func isList(kind edge.Kind) bool {
	return kind == edge.BlockStmt_List || kind == edge.CaseClause_Body || kind == edge.CommClause_Body
}
