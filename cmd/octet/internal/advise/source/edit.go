package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

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

// edit returns the change of a statement that assigns new bytes to a variable. made is the text in place of the call, and
// uncleared the part of the slice that is to be cleared, if any.
func (t *tracer) edit(cur inspector.Cursor, made, uncleared string) *Edit {
	call := cur.Node().(*ast.CallExpr)
	id, ok := assigned(cur, 0).(*ast.Ident)
	stmt := cur.Parent()
	a, isAssign := stmt.Node().(*ast.AssignStmt)
	if !ok || !isAssign || len(a.Lhs) != 1 || t.object(id) == nil {
		return no("give the slice a variable of its own first, in a statement of its own")
	}
	if _, plain := t.info.Types[call].Type.(*types.Slice); !plain {
		return no("it is no []byte, which a pool returns")
	}
	if why := t.unfit(stmt, t.object(id).Parent(), "bytespool", "clear"); why != "" {
		return no("%s", why)
	}
	behind := ""
	if uncleared != "" {
		behind = "\nclear(" + uncleared + ")"
	}
	if t.fate.ends == Here {
		if t.fate.appended > 0 {
			return no("line %d appends to it: append by the pool, and release what that returns", t.fate.appended)
		}
		behind += "\ndefer bytespool.Release(" + id.Name + ")"
	}
	return &Edit{File: t.fset.File(call.Pos()).Name(), Import: Pool, Parts: []Part{t.part(call, made), t.behind(stmt, behind)}}
}

// unfit returns why a statement cannot take memory of a pool that a defer releases, if so. names are those that the change uses.
func (t *tracer) unfit(stmt inspector.Cursor, scope *types.Scope, names ...string) string {
	if !isList(stmt.ParentEdgeKind()) {
		return "give it a statement of its own first"
	}
	for _, name := range names {
		if _, o := scope.LookupParent(name, token.NoPos); o != nil && o != types.Universe.Lookup(name) && !isPool(o) {
			return name + " is the name of something else here"
		}
	}
	for cur := range t.cur.Preorder((*ast.BranchStmt)(nil)) {
		if cur.Node().(*ast.BranchStmt).Tok == token.GOTO {
			return fmt.Sprintf("line %d may go back to it", t.line(cur.Node()))
		}
	}
	switch _, in := loop(stmt, token.NoPos); {
	case in && t.fate.ends == Here:
		return fmt.Sprintf("a defer in a loop runs after it: release it after line %d, its last use", t.fate.last)
	case t.fate.capacity > 0:
		return fmt.Sprintf("line %d reads its capacity, and a slice of a pool has more", t.fate.capacity)
	case t.fate.compared > 0:
		return fmt.Sprintf("line %d may ask whether it is nil, which memory of a pool is not", t.fate.compared)
	}
	return ""
}

// pooled are the methods of a bytes.Buffer that one of the pool has with the same meaning, whatever was called before.
var pooled = set(`Write WriteString WriteByte WriteRune Bytes String Len Reset Truncate Grow ReadFrom ReadByte ReadRune ReadBytes
	ReadString Next UnreadByte UnreadRune`)

// writing are functions whose first argument is an io.Writer.
var writing = set(`fmt.Fprint fmt.Fprintf fmt.Fprintln io.WriteString io.Copy io.CopyN io.CopyBuffer encoding/binary.Write
	encoding/json.NewEncoder encoding/xml.NewEncoder encoding/gob.NewEncoder encoding/csv.NewWriter encoding/hex.NewEncoder
	bufio.NewWriter bufio.NewWriterSize compress/gzip.NewWriter compress/zlib.NewWriter compress/flate.NewWriter mime/quotedprintable.NewWriter`)

// editBuffer returns the change of a bytes.Buffer that a statement declares to one of the pool.
func (t *tracer) editBuffer(decl inspector.Cursor, id *ast.Ident) *Edit {
	stmt, alone := decl, false
	switch n := decl.Node().(type) {
	case *ast.AssignStmt:
		alone = n.Tok == token.DEFINE && len(n.Lhs) == 1
	case *ast.ValueSpec:
		stmt = decl.Parent().Parent()
		alone = len(n.Names) == 1 && len(decl.Parent().Node().(*ast.GenDecl).Specs) == 1
	}
	if !alone {
		return no("give the Buffer a statement of its own first")
	}
	obj := t.object(id)
	if why := t.unfit(stmt, obj.Parent(), "buffer"); why != "" {
		return no("%s", why)
	}
	e := &Edit{File: t.fset.File(id.Pos()).Name(), Import: Buffer}
	for cur := range t.cur.Preorder((*ast.Ident)(nil)) {
		if t.info.Uses[cur.Node().(*ast.Ident)] != obj {
			continue
		}
		if sel, ok := cur.Parent().Node().(*ast.SelectorExpr); ok && pooled[sel.Sel.Name] {
			if (sel.Sel.Name == "Bytes" || sel.Sel.Name == "Next") && t.stays(cur.Parent().Parent()) {
				return no("line %d has its content, which a later use may move", t.line(sel))
			}
			continue
		}
		if cur.ParentEdgeKind() == edge.UnaryExpr_X {
			cur = cur.Parent()
		}
		name := ""
		if kind, i := cur.ParentEdge(); kind == edge.CallExpr_Args && i == 0 {
			name, _ = t.callee(cur.Parent().Node().(*ast.CallExpr))
		}
		if !writing[name] {
			return no("line %d uses it as a bytes.Buffer", t.line(cur.Node()))
		}
		e.Parts = append(e.Parts, t.part(cur.Node(), id.Name))
	}
	e.Parts = append(e.Parts, t.part(stmt.Node(), id.Name+" := buffer.Get()"), t.behind(stmt, "\ndefer "+id.Name+".Release()"))
	return e
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

// editRead returns the change of a statement that reads all of a reader into new memory: into a Buffer of the pool.
func (t *tracer) editRead(cur inspector.Cursor) *Edit {
	stmt := cur.Parent()
	a, ok := stmt.Node().(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 2 {
		return no("read in a statement of its own first")
	}
	id, _ := a.Lhs[0].(*ast.Ident)
	err, _ := a.Lhs[1].(*ast.Ident)
	obj := t.object(id)
	if obj == nil || err == nil || obj.Parent() == obj.Pkg().Scope() {
		return no("give the slice and the error variables of the function first")
	}
	buf := id.Name + "Buffer"
	if why := t.unfit(stmt, obj.Parent(), "buffer", buf); why != "" {
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
	text := fmt.Sprintf("%s := buffer.Get()\ndefer %[1]s.Release()\n%s\n%s%s%[1]s.Bytes()", buf, read, id.Name, define(id))
	return &Edit{File: t.fset.File(a.Pos()).Name(), Import: Buffer, Parts: []Part{t.part(a, text)}}
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
