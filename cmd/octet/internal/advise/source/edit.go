package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// An Edit is how the source changes at a site.
type Edit struct {
	Why   string // the source cannot be changed by a command; the rest is empty
	File  string // of this machine
	Parts []Part
	// Import is the package that the parts use.
	Import string
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

// Pool and Buffer are the packages that the edits import.
const (
	Pool   = "github.com/octet-go/octet/bytespool"
	Buffer = Pool + "/buffer"
)

// no is the edit of a site that a command cannot change, and why.
func no(format string, args ...any) *Edit { return &Edit{Why: fmt.Sprintf(format, args...)} }

// edit returns the change of a statement that assigns new bytes to a variable. made is the text in place of the call.
func (t *tracer) edit(cur inspector.Cursor, made string) *Edit {
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
	if why := t.unfit(a, v.Parent(), "bytespool", "clear"); why != "" {
		return no("%s", why)
	}
	w := &filling{function: t.function, obj: v}
	lines := ""
	if t.builtin(call, "make") {
		if part, why := t.unwritten(cur, id.Name); why != "" {
			lines = "\nclear(" + part + ")"
		}
	}
	e := &Edit{File: t.fset.File(call.Pos()).Name(), Import: Pool, Parts: []Part{t.part(call, made)}}
	if t.fate.ends == Here {
		changed, other, why := t.reassignments(w, a)
		if why != "" {
			return no("%s", why)
		}
		_, in := loop(cur, token.NoPos)
		release, end := "bytespool.Release("+id.Name+")", "bytespool.Release("+id.Name+")"
		switch {
		case other > 0 && (changed || in):
			return no("it grows or is made in a loop, and line %d gives the variable other memory", other)
		case t.fate.cut && (changed || in):
			return no("%s grows or is made in a loop, and loses its front: keep the whole in another variable", id.Name)
		case t.fate.mixed > 0: // what it holds here is released, whatever it holds at the end
		case changed: // the slice that is held at the end
			end = "func() { " + release + " }()"
			if a.Tok == token.DEFINE { // or the variable may be appended to without this slice
				e.Parts = append(e.Parts, t.appends(w)...)
			}
		}
		after, parts, why := t.releases(stmt, release, end)
		if why != "" {
			return no("%s", why)
		}
		lines, e.Parts = lines+after, append(e.Parts, parts...)
	}
	e.Parts = append(e.Parts, t.behind(stmt, lines))
	return e
}

// unfit returns why a statement cannot take memory of a pool, if so. names are those that the change uses.
func (t *tracer) unfit(stmt ast.Node, scope *types.Scope, names ...string) string {
	for _, name := range names {
		if _, o := scope.LookupParent(name, token.NoPos); o != nil && o != types.Universe.Lookup(name) && !isPool(o) {
			return name + " is the name of something else here"
		}
	}
	if t.fate.capacity > 0 {
		return fmt.Sprintf("line %d reads its capacity, and a slice of a pool has more", t.fate.capacity)
	}
	return ""
}

// releases returns what releases the memory that a statement takes: the text behind the statement, where end is deferred, and, in
// a loop, the parts behind the last statement that uses the memory, and before those that leave the loop until then.
func (t *tracer) releases(stmt inspector.Cursor, release, end string) (after string, parts []Part, why string) {
	if _, in := loop(stmt, token.NoPos); !in {
		return "\ndefer " + end, nil, ""
	}
	why = fmt.Sprintf("a defer in a loop runs after it: release it after line %d, its last use", t.fate.last)
	block := stmt.Parent().Node()
	for obj := range t.seen {
		if obj.Pos() < block.Pos() || block.End() < obj.Pos() { // the next turn may use it
			return "", nil, why
		}
	}
	uses := func(n ast.Node) (found bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			found = found || ok && t.seen[t.object(id)]
			return !found
		})
		return found
	}
	last := stmt
	for next, ok := stmt.NextSibling(); ok; next, ok = next.NextSibling() {
		if uses(next.Node()) {
			last = next
		}
	}
	safe := true
	for at := stmt; at != last && safe; {
		at, _ = at.NextSibling()
		at.Inspect([]ast.Node{(*ast.FuncLit)(nil), (*ast.DeferStmt)(nil), (*ast.GoStmt)(nil), (*ast.ReturnStmt)(nil), (*ast.BranchStmt)(nil)}, func(cur inspector.Cursor) bool {
			switch n := cur.Node().(type) {
			case *ast.ReturnStmt:
				safe = safe && isList(cur.ParentEdgeKind()) && !uses(n)
			case *ast.BranchStmt:
				for to := range cur.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.SwitchStmt)(nil), (*ast.TypeSwitchStmt)(nil), (*ast.SelectStmt)(nil)) {
					_, isFor := to.Node().(*ast.ForStmt)
					_, isRange := to.Node().(*ast.RangeStmt)
					if n.Tok == token.BREAK || isFor || isRange {
						if to.Node().Pos() >= at.Node().Pos() && n.Label == nil {
							return true // within the statement
						}
						break
					}
				}
				safe = safe && n.Label == nil && n.Tok != token.FALLTHROUGH && isList(cur.ParentEdgeKind())
			default:
				safe = safe && !uses(n)
				return false
			}
			before := t.fset.Position(cur.Node().Pos()).Offset
			parts = append(parts, Part{before, before, release + "\n"})
			return true
		})
	}
	if !safe {
		return "", nil, why
	}
	if last == stmt {
		return "\n" + release, nil, ""
	}
	return "", append(parts, t.behind(last, "\n"+release)), ""
}

// pooled are the methods of a bytes.Buffer that one of the pool has with the same meaning, whatever was called before.
var pooled = set(`Write WriteString WriteByte WriteRune Bytes String Len Reset Truncate Grow ReadFrom ReadByte ReadRune ReadBytes
	ReadString Next UnreadByte UnreadRune`)

// writing are functions whose first argument is an io.Writer.
var writing = set(`fmt.Fprint fmt.Fprintf fmt.Fprintln io.WriteString io.Copy io.CopyN io.CopyBuffer encoding/binary.Write
	encoding/json.NewEncoder encoding/xml.NewEncoder encoding/gob.NewEncoder encoding/csv.NewWriter encoding/hex.NewEncoder
	bufio.NewWriter bufio.NewWriterSize compress/gzip.NewWriter compress/zlib.NewWriter compress/flate.NewWriter mime/quotedprintable.NewWriter`)

// editBuffer returns the change of a bytes.Buffer that a statement declares to one of the pool.
func (t *tracer) editBuffer(at inspector.Cursor, id *ast.Ident) *Edit {
	var typ ast.Expr
	stmt := at
	switch n := at.Node().(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE && len(n.Lhs) == 1 {
			typ = n.Rhs[0]
		}
	case *ast.ValueSpec:
		stmt = at.Parent().Parent()
		if len(n.Names) == 1 && len(at.Parent().Node().(*ast.GenDecl).Specs) == 1 {
			if typ = n.Type; typ == nil {
				typ = n.Values[0]
			}
		}
	}
	obj := t.object(id)
	if typ == nil || !isList(stmt.ParentEdgeKind()) {
		return no("give the Buffer a statement of its own first")
	}
	made := "buffer.Get()"
	if call, ok := typ.(*ast.CallExpr); ok && !t.builtin(call, "new") {
		if room, ok := call.Args[0].(*ast.CallExpr); ok && t.builtin(room, "make") && len(room.Args) == 3 && t.is(room.Args[1], 0) {
			made = "buffer.Make(" + t.int(room.Args[2]) + ")"
		} else if !isEmpty(call.Args[0]) && text(call.Args[0]) != "nil" {
			return no("the Buffer begins with content")
		}
	}
	if why := t.unfit(stmt.Node(), obj.Parent(), "buffer"); why != "" {
		return no("%s", why)
	}
	if t.fate.compared > 0 {
		return no("line %d may ask whether the content is nil, which that of a pool is not", t.fate.compared)
	}
	e := &Edit{File: t.fset.File(id.Pos()).Name(), Import: Buffer, Parts: []Part{t.part(stmt.Node(), id.Name+" := "+made)}}
	for cur := range t.cur.Preorder((*ast.Ident)(nil)) {
		if t.info.Uses[cur.Node().(*ast.Ident)] != obj {
			continue
		}
		if sel, ok := cur.Parent().Node().(*ast.SelectorExpr); ok && (pooled[sel.Sel.Name] || sel.Sel.Name == "WriteTo" && t.lastly(cur, obj)) {
			if (sel.Sel.Name == "Bytes" || sel.Sel.Name == "Next") && t.stays(cur.Parent().Parent()) && !t.lastly(cur, obj) {
				return no("line %d has its content, which a later use may move", t.line(sel))
			}
			continue
		}
		if cur.ParentEdgeKind() == edge.UnaryExpr_X {
			cur = cur.Parent()
		}
		if kind, i := cur.ParentEdge(); kind != edge.CallExpr_Args || !t.asWriter(cur.Parent().Node().(*ast.CallExpr), i) {
			return no("line %d uses it as a bytes.Buffer", t.line(cur.Node()))
		}
		e.Parts = append(e.Parts, t.part(cur.Node(), id.Name))
	}
	after, parts, why := t.releases(stmt, id.Name+".Release()", id.Name+".Release()")
	if why != "" {
		return no("%s", why)
	}
	e.Parts = append(append(e.Parts, t.behind(stmt, after)), parts...)
	return e
}

// lastly reports whether a variable is used for the last time: the WriteTo of a Buffer of the pool leaves the content, and a
// write may release it.
func (t *tracer) lastly(use inspector.Cursor, obj types.Object) bool {
	for cur := range t.cur.Preorder((*ast.Ident)(nil), (*ast.BranchStmt)(nil)) {
		switch n := cur.Node().(type) {
		case *ast.Ident:
			if t.info.Uses[n] == obj && n.Pos() > use.Node().Pos() {
				return false
			}
		case *ast.BranchStmt:
			if n.Tok == token.GOTO {
				return false
			}
		}
	}
	outer, _ := loop(use, obj.Pos())
	return outer == nil && !t.fate.closed
}

// stays reports whether the result of a call may be used behind the expression that it is part of.
func (t *tracer) stays(result inspector.Cursor) bool {
	kind, i := result.ParentEdge()
	call, ok := result.Parent().Node().(*ast.CallExpr)
	if !ok || kind != edge.CallExpr_Args {
		return true
	}
	name, _ := t.callee(call)
	return t.shown[call] > 0 || treat(name) == shows || i == 0 && name == "append" || t.isType(call.Fun) && name != "string"
}

// asWriter reports whether a function takes its argument as an io.Writer.
func (t *tracer) asWriter(call *ast.CallExpr, at int) bool {
	name, obj := t.callee(call)
	if fn, ok := t.tree.declaration(obj); ok {
		param := fn.parameter(at)
		if param == nil {
			return false
		}
		cur, ok := fn.root.FindByPos(param.Pos(), param.Pos())
		field, _ := cur.Parent().Node().(*ast.Field)
		return ok && field != nil && text(field.Type) == "io.Writer"
	}
	return at == 0 && writing[name]
}

// editRead returns the change of a statement that reads all of a reader into new memory: into a Buffer of the pool.
func (t *tracer) editRead(cur inspector.Cursor) *Edit {
	stmt := cur.Parent()
	a, ok := stmt.Node().(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 2 || !isList(stmt.ParentEdgeKind()) {
		return no("read in a statement of its own first")
	}
	id, _ := a.Lhs[0].(*ast.Ident)
	err, _ := a.Lhs[1].(*ast.Ident)
	obj := t.object(id)
	if obj == nil || err == nil || obj.Parent() == obj.Pkg().Scope() {
		return no("give the slice and the error variables of the function first")
	}
	buf := id.Name + "Buffer"
	if why := t.unfit(a, obj.Parent(), "buffer", buf); why != "" {
		return no("%s", why)
	}
	if t.fate.mixed > 0 {
		return no("line %d gives the variable other memory", t.fate.mixed)
	}
	define := func(id *ast.Ident) string {
		if t.info.Defs[id] != nil {
			return " := "
		}
		return " = "
	}
	read := buf + ".ReadFrom(" + whole(cur.Node().(*ast.CallExpr).Args[0]) + ")"
	if err.Name != "_" {
		read = "_, " + err.Name + define(err) + read
	}
	after, parts, why := t.releases(stmt, buf+".Release()", buf+".Release()")
	if why != "" {
		return no("%s", why)
	}
	text := fmt.Sprintf("%s := buffer.Get()%s\n%s\n%s%s%s.Bytes()", buf, after, read, id.Name, define(id), buf)
	return &Edit{File: t.fset.File(a.Pos()).Name(), Import: Buffer, Parts: append(parts, t.part(a, text))}
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

// behind returns the part that puts a text behind a statement.
func (p *pkg) behind(stmt inspector.Cursor, text string) Part {
	end := p.fset.Position(stmt.Node().End()).Offset
	return Part{end, end, text}
}

func isPool(o types.Object) bool {
	name, ok := o.(*types.PkgName)
	return ok && (name.Imported().Path() == Pool || name.Imported().Path() == Buffer)
}

// isList reports whether a statement of that kind is one of a list.
func isList(kind edge.Kind) bool {
	return kind == edge.BlockStmt_List || kind == edge.CaseClause_Body || kind == edge.CommClause_Body
}
