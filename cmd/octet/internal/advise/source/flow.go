package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"math/bits"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// Ends says where memory ends.
type Ends string

const (
	Here      Ends = "here"      // in the function that allocates it
	Elsewhere Ends = "elsewhere" // somebody else is the last to use it
	Kept      Ends = "kept"      // it stays in use for long
	Unknown   Ends = "unknown"
)

// A fate is what becomes of memory in a function and in those that it calls.
type fate struct {
	ends     Ends
	why      string // of all but Here: what it is given to
	returned bool   // Elsewhere, and only because the function returns it
	results  uint   // a bit for each result as which it does
	last     int    // the last line of the function that uses it
	cut      bool   // a variable of it loses its front, so that it no longer is the whole
	grows    bool   // it is appended to
	appended int    // the line that appends to it, by append or another function
	longer   bool   // something may show bytes behind its end
	emptied  bool   // it may be cut to nothing
	capacity int    // the line that reads its capacity, or gives it to a function which does
	compared int    // the line that asks whether it is nil, which the memory of a pool is not
	mixed    int    // the line where a variable of it gets other memory, which must not be released in place of this
	at       Place  // where it ends, if not Here
}

func (f *fate) worsen(ends Ends, why string) {
	if f.ends == Here || f.ends == Elsewhere && ends == Unknown {
		f.ends, f.why = ends, why
	}
	f.returned = false
}

// unmixed says that nobody can release what a variable has that also gets other memory.
func (f *fate) unmixed() {
	if f.mixed > 0 {
		f.worsen(Unknown, fmt.Sprintf("in a variable that gets other memory at line %d", f.mixed))
	}
}

func (f *fate) returns(results uint) {
	f.results |= results
	if f.ends == Here {
		f.ends, f.why, f.returned = Elsewhere, "returned", true
	}
}

// A tracer follows memory through a function.
type tracer struct {
	function
	tree   *Tree
	fate   fate
	seen   map[types.Object]bool
	calls  map[types.Object]bool // parameters that are being entered with the memory, of all tracers
	done   map[types.Object]fate // what becomes of it where that has been found out, of all tracers
	origin ast.Node              // that allocates
	shown  map[ast.Node]uint     // by call, a bit for each result that is the memory, if that is not the first alone
}

// maxCalls bounds how many functions are entered one from another.
const maxCalls = 5

func (t *Tree) trace(fn function) *tracer {
	return &tracer{function: fn, tree: t, fate: fate{ends: Here}, seen: make(map[types.Object]bool), shown: make(map[ast.Node]uint), calls: make(map[types.Object]bool), done: make(map[types.Object]fate)}
}

// follow traces the value of an expression.
func (t *tracer) follow(cur inspector.Cursor) {
	before := t.fate.ends
	t.use(cur)
	if t.fate.ends != before && t.fate.at.File == "" {
		p := t.fset.Position(cur.Node().Pos())
		t.fate.at = Place{File: p.Filename, Line: p.Line}
	}
}

func (t *tracer) use(cur inspector.Cursor) {
	t.fate.last = max(t.fate.last, t.endLine(cur.Node()))
	up := cur.Parent()
	results := cmp.Or(t.shown[cur.Node()], 1)
	switch kind, i := cur.ParentEdge(); kind {
	case edge.ParenExpr_X:
		t.follow(up)
	case edge.SliceExpr_X:
		if high := up.Node().(*ast.SliceExpr).High; t.is(high, 0) {
			t.fate.emptied = true
		} else if high != nil {
			t.fate.longer = true
		}
		t.follow(up)
	case edge.UnaryExpr_X:
		if t.isBytes(cur.Node().(ast.Expr)) {
			t.fate.worsen(Unknown, "used by the address of a variable")
			return
		}
		t.follow(up)
	case edge.IndexExpr_X:
		if address, ok := up.Parent().Node().(*ast.UnaryExpr); ok && address.Op == token.AND { // for unsafe.Pointer
			t.fate.longer = true
			t.follow(up.Parent())
		}
	case edge.RangeStmt_X:
		if part := up.Node().(*ast.RangeStmt).Value; part != nil { // bytes are no memory
			t.store(part)
		}
	case edge.BinaryExpr_X, edge.BinaryExpr_Y:
		t.fate.compared = t.line(up.Node())
	case edge.ExprStmt_X:
	case edge.SelectorExpr_X:
		t.method(up)
	case edge.CallExpr_Args:
		if results > 1 {
			t.fate.worsen(Unknown, "used in a way that is not followed")
			return
		}
		t.call(up, i)
	case edge.AssignStmt_Rhs, edge.ValueSpec_Values:
		for i := range bits.Len(results) {
			if results>>i&1 == 1 {
				t.store(assigned(cur, i))
			}
		}
	case edge.ReturnStmt_Results:
		t.returns(up, i, results<<i)
	case edge.CompositeLit_Elts:
		t.fate.worsen(Elsewhere, "stored in "+text(up.Node().(*ast.CompositeLit).Type))
	case edge.KeyValueExpr_Value:
		what := "stored in a field"
		if key, ok := up.Node().(*ast.KeyValueExpr).Key.(*ast.Ident); ok {
			what = "stored in field " + key.Name
		}
		t.fate.worsen(Elsewhere, what)
	case edge.SendStmt_Value:
		t.fate.worsen(Elsewhere, "sent on a channel")
	default:
		t.fate.worsen(Unknown, "used in a way that is not followed")
	}
}

// returns notes that a statement returns the memory, as its value at and those results. What it returns there elsewhere
// must be no other memory: whoever releases what the function returns would release that, too.
func (t *tracer) returns(ret inspector.Cursor, at int, results uint) {
	for lit := range ret.Enclosing((*ast.FuncLit)(nil)) {
		if lit != t.cur {
			t.fate.worsen(Unknown, "returned by a closure")
			return
		}
	}
	t.fate.returns(results)
	n := len(ret.Node().(*ast.ReturnStmt).Results)
	if n != t.typ().Results.NumFields() {
		return
	}
	t.cur.Inspect([]ast.Node{(*ast.FuncLit)(nil), (*ast.ReturnStmt)(nil)}, func(cur inspector.Cursor) bool {
		if other, ok := cur.Node().(*ast.ReturnStmt); ok && len(other.Results) == n && !t.harmless(other.Results[at]) {
			t.fate.worsen(Unknown, fmt.Sprintf("returned, as is other memory at line %d", t.line(other)))
		}
		return cur == t.cur
	})
}

// harmless reports whether the expression is the memory that is followed, or what grew from it, or new, or none: whoever
// releases it in place of that memory does no harm.
func (t *tracer) harmless(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		obj := t.object(e)
		return e.Name == "nil" || t.seen[obj] || t.noBytes(e)
	case *ast.SliceExpr:
		return t.harmless(e.X)
	case *ast.UnaryExpr:
		return e.Op == token.AND || t.noBytes(e)
	case *ast.BasicLit, *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		name, _ := t.callee(e)
		switch {
		case e == t.origin, name == "make", name == "new", t.noBytes(e):
			return true
		case strings.HasPrefix(name, ".") && showing[name[1:]] && !appending(name[1:]):
			return t.harmless(ast.Unparen(e.Fun).(*ast.SelectorExpr).X)
		case t.isType(e.Fun), name == "append", treat(name) == shows:
			return len(e.Args) > 0 && t.harmless(e.Args[0])
		}
		return false
	}
	return t.noBytes(e)
}

// noBytes reports whether the expression's type is known, and can be no slice of bytes.
func (t *tracer) noBytes(e ast.Expr) bool {
	tv, ok := t.info.Types[e]
	if !ok || tv.Type == nil || t.isBytes(e) {
		return false
	}
	b, ok := tv.Type.Underlying().(*types.Basic)
	return ok && b.Kind() != types.Invalid
}

// isType reports whether what is called is a type, so that the call converts to it.
func (t *tracer) isType(fun ast.Expr) bool {
	tv, ok := t.info.Types[fun]
	return ok && tv.IsType()
}

// method traces a call of a method of the value.
func (t *tracer) method(sel inspector.Cursor) {
	id := sel.Node().(*ast.SelectorExpr).Sel
	if sel.ParentEdgeKind() != edge.CallExpr_Fun {
		t.fate.worsen(Unknown, "used by "+id.Name)
		return
	}
	if fn, ok := t.tree.declaration(t.info.Uses[id]); ok {
		t.enter(sel.Parent(), fn, receiver)
		return
	}
	switch as := treat("." + id.Name); {
	case as == shows:
		t.follow(sel.Parent())
	case as == unknown && !using[id.Name]:
		t.fate.worsen(Unknown, "used by "+id.Name)
	}
}

// call traces the value as an argument.
func (t *tracer) call(cur inspector.Cursor, at int) {
	call := cur.Node().(*ast.CallExpr)
	name, obj := t.callee(call)
	if t.isType(call.Fun) {
		if text(call.Fun) != "string" { // which copies
			t.follow(cur)
		}
		return
	}
	if obj == nil || obj.Pkg() == nil { // predeclared, or not known
		switch name {
		case "append":
			switch {
			case at == 0:
				t.fate.grows, t.fate.appended = true, t.line(call)
				t.follow(cur)
			case !call.Ellipsis.IsValid():
				t.fate.worsen(Elsewhere, "appended to a list")
			}
			return
		case "cap":
			t.fate.capacity = t.line(call)
			return
		case "copy", "len", "clear":
			return
		}
	}
	if cur.ParentEdgeKind() == edge.GoStmt_Call {
		t.fate.worsen(Elsewhere, "given to a goroutine")
		return
	}
	if fn, ok := t.tree.declaration(obj); ok && t.enter(cur, fn, at) {
		return
	}
	if sel, ok := call.Fun.(*ast.SelectorExpr); ok && stateless[t.from(sel.X)] {
		name = t.from(sel.X) + "." + sel.Sel.Name
	}
	switch treat(name) {
	case shows:
		if strings.HasPrefix(name, "slices.") || appending(name[strings.LastIndexByte(name, '.')+1:]) {
			t.fate.appended = t.line(call)
		}
		if strings.HasPrefix(name, ".") { // of a type that is not known
			t.fate.longer = true
		}
		t.follow(cur)
	case borrows:
		if strings.HasPrefix(name, "encoding/json.Marshal") || strings.HasSuffix(name, ".Clone") { // which tell nil from what is empty
			t.fate.compared = t.line(call)
		}
	default:
		t.fate.worsen(Unknown, "given to "+text(call.Fun)+", which may keep it")
	}
}

// enter follows the memory into a function that is called with it, and reports whether the function has a parameter for it.
func (t *tracer) enter(call inspector.Cursor, fn function, at int) bool {
	param := fn.parameter(at)
	switch {
	case param == nil:
		return at == receiver
	case param.Name() == "" || param.Name() == "_" || t.calls[param]:
		return true
	case len(t.calls) >= maxCalls:
		t.fate.worsen(Unknown, "given to "+fn.decl().Name.Name+", which may keep it")
		return true
	}
	in, ok := t.done[param]
	if !ok {
		t.calls[param] = true
		inside := t.tree.trace(fn)
		inside.calls, inside.done = t.calls, t.done
		inside.variable(param)
		delete(t.calls, param)
		in = inside.fate
		t.done[param] = in
	}
	if in.capacity > 0 {
		t.fate.capacity = t.line(call.Node())
	}
	if in.appended > 0 {
		t.fate.appended = t.line(call.Node())
	}
	t.fate.longer = t.fate.longer || in.longer
	t.fate.emptied = t.fate.emptied || in.emptied
	if in.compared > 0 {
		t.fate.compared = t.line(call.Node())
	}
	if in.mixed > 0 && in.ends != Here {
		t.fate.mixed = t.line(call.Node())
	}
	switch {
	case in.returned:
		t.shown[call.Node()] = in.results
		t.follow(call)
	case in.ends != Here:
		if t.fate.ends == Here {
			t.fate.at = in.at
		}
		t.fate.worsen(in.ends, fmt.Sprintf("given to %s, where it is %s", fn.decl().Name.Name, in.why))
	}
	return true
}

// receiver is the number of a method's receiver among its parameters.
const receiver = -1

// parameter returns a parameter of a declared function, or nil if it has none of that number, or a variadic one.
func (f function) parameter(at int) *types.Var {
	fn, ok := f.info.Defs[f.decl().Name].(*types.Func)
	if !ok {
		return nil
	}
	sig := fn.Signature()
	switch last := sig.Params().Len() - 1; {
	case at == receiver:
		return sig.Recv()
	case at < last || at == last && !sig.Variadic():
		return sig.Params().At(at)
	}
	return nil
}

// store traces what is stored to.
func (t *tracer) store(to ast.Expr) {
	id, ok := to.(*ast.Ident)
	if !ok {
		t.fate.worsen(Elsewhere, "stored in "+text(to))
		return
	}
	obj := t.object(id)
	if obj == nil || id.Name == "_" {
		return
	}
	if b, ok := obj.Type().Underlying().(*types.Basic); !ok || b.Info()&(types.IsNumeric|types.IsBoolean) == 0 {
		t.variable(obj)
	}
}

// variable traces all uses of a variable.
func (t *tracer) variable(obj types.Object) {
	if t.seen[obj] {
		return
	}
	t.seen[obj] = true
	if obj.Pkg() != nil && obj.Parent() == obj.Pkg().Scope() {
		t.fate.worsen(Elsewhere, "stored in "+obj.Name())
		return
	}
	if result := t.result(obj); result >= 0 {
		t.fate.returns(1 << result)
	}
	for cur := range t.cur.Preorder((*ast.Ident)(nil)) {
		if t.object(cur.Node().(*ast.Ident)) != obj {
			continue
		}
		switch kind, i := cur.ParentEdge(); {
		case kind == edge.Field_Names:
			if !t.calls[obj] && t.result(obj) < 0 { // of a closure, too
				t.fate.mixed = t.line(cur.Node())
			}
		case inClosure(cur, obj):
			t.fate.worsen(Unknown, "kept by a closure")
		case kind == edge.AssignStmt_Lhs:
			t.assigns(cur.Parent().Node().(*ast.AssignStmt).Rhs, i)
		case kind == edge.ValueSpec_Names:
			t.assigns(cur.Parent().Node().(*ast.ValueSpec).Values, i)
		case kind == edge.RangeStmt_Key, kind == edge.RangeStmt_Value:
		default:
			t.follow(cur)
		}
	}
}

// inClosure reports whether an identifier is used in a function within that which declares the variable.
func inClosure(id inspector.Cursor, obj types.Object) bool {
	for lit := range id.Enclosing((*ast.FuncLit)(nil)) {
		if obj.Pos() < lit.Node().Pos() || lit.Node().End() < obj.Pos() {
			return true
		}
	}
	return false
}

// assigns looks at the values of an assignment, of which the variable gets that at i: what is not made of the memory
// itself is other memory, which must not be released in place of this.
func (t *tracer) assigns(values []ast.Expr, i int) {
	if len(values) == 0 {
		return
	}
	result := i
	if len(values) > 1 {
		values, result = values[i:], 0
	}
	from := values[0]
	if s, ok := ast.Unparen(from).(*ast.SliceExpr); ok && s.Low != nil && text(s.Low) != "0" {
		t.fate.cut = true
	}
	if from != t.origin && t.shown[from]>>result&1 == 0 && (result > 0 || !t.harmless(from)) {
		t.fate.mixed = t.line(from)
	}
}
