package source

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
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
	last     int    // the last line of the function that uses it
	cut      bool   // a variable of it loses its front, so that it no longer is the whole
	filled   bool   // it is written from its beginning, before anything else is done with it
	grows    bool   // it is appended to
	longer   bool   // by what make makes
}

func (f *fate) worsen(ends Ends, why string) {
	rank := map[Ends]int{Here: 0, Elsewhere: 1, Kept: 2, Unknown: 3}
	if rank[ends] > rank[f.ends] {
		f.ends, f.why = ends, why
	}
	f.returned = false
}

// A tracer follows memory through a function.
type tracer struct {
	*pkg
	tree   *Tree
	fn     *ast.FuncDecl
	fate   fate
	seen   map[types.Object]bool
	calls  map[types.Object]bool // parameters that were entered with the memory, of all tracers
	origin ast.Expr              // that allocates
	result int                   // which of its results is the memory
}

// maxCalls bounds how many functions are entered one from another.
const maxCalls = 5

func (t *Tree) trace(p *pkg, fn *ast.FuncDecl) *tracer {
	return &tracer{pkg: p, tree: t, fn: fn, fate: fate{ends: Here}, seen: make(map[types.Object]bool), calls: make(map[types.Object]bool)}
}

// follow traces the value of an expression.
func (t *tracer) follow(e ast.Expr) {
	if end := t.fset.Position(e.End()).Line; end > t.fate.last {
		t.fate.last = end
	}
	switch up := t.up[e].(type) {
	case *ast.ParenExpr:
		t.follow(up)
	case *ast.SliceExpr:
		if up.X == e {
			t.follow(up)
		}
	case *ast.UnaryExpr:
		t.follow(up)
	case *ast.IndexExpr, *ast.StarExpr, *ast.RangeStmt, *ast.BinaryExpr, *ast.ExprStmt, *ast.IncDecStmt:
	case *ast.SelectorExpr:
		t.method(up)
	case *ast.CallExpr:
		t.call(up, e)
	case *ast.AssignStmt:
		t.assign(up, e)
	case *ast.ValueSpec:
		for i, v := range up.Values {
			if v == e && i < len(up.Names) {
				t.store(up.Names[i])
			}
		}
	case *ast.ReturnStmt:
		t.returns(up, e)
	case *ast.CompositeLit:
		t.fate.worsen(Elsewhere, "stored in "+t.text(up.Type))
	case *ast.KeyValueExpr:
		what := "stored in a field"
		if key, ok := up.Key.(*ast.Ident); ok {
			what = "stored in field " + key.Name
		}
		t.fate.worsen(Elsewhere, what)
	case *ast.SendStmt:
		t.fate.worsen(Elsewhere, "sent on a channel")
	default:
		t.fate.worsen(Unknown, "used in a way that is not followed")
	}
}

// returns notes that the function returns e. The function's other results at that place must be of
// no memory: whoever releases what it returns would release other memory too.
func (t *tracer) returns(ret *ast.ReturnStmt, e ast.Expr) {
	for n := ast.Node(ret); n != ast.Node(t.fn.Body); n = t.up[n] {
		if _, ok := n.(*ast.FuncLit); ok {
			t.fate.worsen(Unknown, "returned by a closure")
			return
		}
	}
	if t.fate.ends == Here {
		t.fate.ends, t.fate.why, t.fate.returned = Elsewhere, "returned", true
	}
	if len(ret.Results) != t.results() {
		return
	}
	at := max(0, slices.Index(ret.Results, e))
	ast.Inspect(t.fn.Body, func(n ast.Node) bool {
		other, ok := n.(*ast.ReturnStmt)
		if _, closure := n.(*ast.FuncLit); closure {
			return false
		}
		if ok && len(other.Results) == len(ret.Results) && !t.harmless(other.Results[at]) {
			t.fate.worsen(Unknown, fmt.Sprintf("returned, as is other memory at line %d", t.line(other)))
		}
		return true
	})
}

func (t *tracer) results() (n int) {
	if t.fn.Type.Results == nil {
		return 0
	}
	return t.fn.Type.Results.NumFields()
}

// harmless reports whether the expression is the memory that is followed, or what grew from it, or new, or none: whoever
// releases it in place of that memory does no harm.
func (t *tracer) harmless(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		obj := t.object(e)
		return e.Name == "nil" || obj != nil && t.seen[obj] || t.constant(e) || t.noBytes(e)
	case *ast.SliceExpr:
		return t.harmless(e.X)
	case *ast.UnaryExpr:
		return e.Op == token.AND || t.noBytes(e)
	case *ast.BasicLit, *ast.CompositeLit:
		return true
	case *ast.CallExpr:
		name, _ := t.callee(e)
		switch {
		case name == "make", name == "new", isKnown(name), t.noBytes(e):
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
	switch u := tv.Type.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.Invalid
	case *types.Slice:
		return u.Elem() != types.Typ[types.Invalid]
	}
	return false
}

func (t *tracer) isMake(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && t.text(call.Fun) == "make"
}

// isType reports whether what is called is a type, so that the call converts to it.
func (t *tracer) isType(fun ast.Expr) bool {
	tv, ok := t.info.Types[fun]
	return ok && tv.IsType()
}

// method traces a call of a method of the value.
func (t *tracer) method(sel *ast.SelectorExpr) {
	call, ok := t.up[sel].(*ast.CallExpr)
	if !ok || call.Fun != sel {
		t.fate.worsen(Unknown, "used by "+sel.Sel.Name)
		return
	}
	name := sel.Sel.Name
	if obj := t.info.Uses[sel.Sel]; obj != nil && t.decls[obj] != nil {
		if t.decls[obj].Recv.NumFields() == 1 && len(t.decls[obj].Recv.List[0].Names) == 1 {
			t.enter(call, t.pkg, t.decls[obj], t.decls[obj].Recv.List[0].Names[0])
		}
		return
	}
	switch as := treat("." + name); {
	case as == shows:
		t.follow(call)
	case as == unknown && !using[name]:
		t.fate.worsen(Unknown, "used by "+name)
	}
}

// call traces the value as an argument.
func (t *tracer) call(call *ast.CallExpr, arg ast.Expr) {
	name, obj := t.callee(call)
	at := slices.Index(call.Args, arg)
	if t.isType(call.Fun) {
		if t.text(call.Fun) != "string" { // which copies
			t.follow(call)
		}
		return
	}
	if obj == nil || obj.Pkg() == nil { // predeclared, or not known
		switch name {
		case "append":
			switch {
			case at == 0:
				t.fate.grows = true
				t.fate.longer = t.fate.longer || t.isMake(call.Args[len(call.Args)-1])
				t.follow(call)
			case !call.Ellipsis.IsValid():
				t.fate.worsen(Elsewhere, "appended to a list")
			}
			return
		case "copy":
			t.fate.filled = t.fate.filled || at == 0
			return
		case "len", "cap", "clear", "print", "println", "min", "max", "delete", "panic":
			return
		}
	}
	if _, ok := t.up[call].(*ast.GoStmt); ok {
		t.fate.worsen(Elsewhere, "given to a goroutine")
		return
	}
	if t.enterAll(call, name, obj, at) {
		return
	}
	switch treat(name) {
	case shows:
		t.follow(call)
	case borrows:
		if name == "io.ReadFull" {
			t.fate.filled = true
		}
	default:
		if from := lent[name]; from != "" && t.imports(call, from) {
			return
		}
		if fun, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok && at < fun.Type.Params.NumFields() {
			t.fate.worsen(Unknown, "given to a closure")
			return
		}
		t.fate.worsen(Unknown, "given to "+t.text(call.Fun)+", which may keep it")
	}
}

// enterAll follows an argument into the functions of the module that the call may call, and reports whether these are
// known. Of an interface these are the methods of its package that have the name.
func (t *tracer) enterAll(call *ast.CallExpr, name string, obj types.Object, at int) bool {
	if obj != nil && t.decls[obj] != nil {
		param := parameter(t.decls[obj], at)
		if param != nil {
			t.enter(call, t.pkg, t.decls[obj], param)
		}
		return param != nil
	}
	if p, fn := t.tree.declared(name); fn != nil {
		param := parameter(fn, at)
		if param != nil {
			t.enter(call, p, fn, param)
		}
		return param != nil
	}
	method, ok := obj.(*types.Func)
	if !ok || method.Signature().Recv() == nil || treat(name) != unknown {
		return false
	}
	entered := false
	for _, fn := range t.funcs {
		if fn.Recv == nil || fn.Name.Name != method.Name() || fn.Type.Params.NumFields() != method.Signature().Params().Len() {
			continue
		}
		if param := parameter(fn, at); param != nil {
			t.enter(call, t.pkg, fn, param)
			entered = true
		}
	}
	if entered {
		t.fate.worsen(Elsewhere, "given to "+t.text(call.Fun)+", whose methods here do not keep it")
	}
	return entered
}

// enter follows a parameter of a function that is called.
func (t *tracer) enter(call *ast.CallExpr, p *pkg, fn *ast.FuncDecl, param *ast.Ident) {
	obj := p.object(param)
	if obj == nil || param.Name == "_" || t.calls[obj] {
		return
	}
	if len(t.calls) >= maxCalls {
		t.fate.worsen(Unknown, "given to "+fn.Name.Name+", which may keep it")
		return
	}
	t.calls[obj] = true
	p.link(fn)
	in := t.tree.trace(p, fn)
	in.calls = t.calls
	in.variable(obj)
	delete(t.calls, obj)
	switch {
	case in.fate.returned:
		t.follow(call)
	case in.fate.ends != Here:
		t.fate.worsen(in.fate.ends, fmt.Sprintf("given to %s, where it is %s", fn.Name.Name, in.fate.why))
	}
}

func parameter(fn *ast.FuncDecl, at int) *ast.Ident {
	for _, field := range fn.Type.Params.List {
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			return nil
		}
		for _, name := range field.Names {
			if at == 0 {
				return name
			}
			at--
		}
	}
	return nil
}

// assign traces the value as the right side of an assignment.
func (t *tracer) assign(a *ast.AssignStmt, e ast.Expr) {
	if i := slices.Index(a.Rhs, e); len(a.Lhs) == len(a.Rhs) && i >= 0 {
		t.store(a.Lhs[i])
	} else if i >= 0 { // a call with several results
		t.store(a.Lhs[min(t.result, len(a.Lhs)-1)])
	}
}

// store traces what is stored to.
func (t *tracer) store(to ast.Expr) {
	id, ok := to.(*ast.Ident)
	if !ok {
		t.fate.worsen(Elsewhere, "stored in "+t.text(to))
		return
	}
	if id.Name == "_" {
		return
	}
	if obj := t.object(id); obj != nil {
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
	if obj.Pos() < t.fn.Pos() || obj.Pos() > t.fn.End() {
		t.fate.worsen(Unknown, "stored in "+obj.Name())
		return
	}
	if t.isParameter(obj) && !t.calls[obj] {
		t.fate.worsen(Unknown, "in parameter "+obj.Name()+", which has memory of the caller")
		return
	}
	if t.isResult(obj) && t.fate.ends == Here {
		t.fate.ends, t.fate.why, t.fate.returned = Elsewhere, "returned", true
	}
	ast.Inspect(t.fn.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || t.object(id) != obj {
			return true
		}
		if t.inClosure(id, obj) {
			t.fate.worsen(Unknown, "kept by a closure")
			return true
		}
		if a, ok := t.up[id].(*ast.AssignStmt); ok && slices.Contains(a.Lhs, ast.Expr(id)) {
			t.reassigned(a, id)
			return true
		}
		if s, ok := t.up[id].(*ast.ValueSpec); ok && s.Type != nil {
			return true // its declaration
		}
		t.follow(id)
		return true
	})
}

func (t *tracer) isParameter(obj types.Object) bool {
	p := t.fn.Type.Params
	return p.Pos() <= obj.Pos() && obj.Pos() < p.End()
}

// isResult reports whether the variable is a named result.
func (t *tracer) isResult(obj types.Object) bool {
	r := t.fn.Type.Results
	return r != nil && r.Pos() <= obj.Pos() && obj.Pos() < r.End()
}

// inClosure reports whether an identifier is used in a function within that which declares the variable, and that
// function is not called on the spot.
func (t *tracer) inClosure(id *ast.Ident, obj types.Object) bool {
	for n := t.up[id]; n != nil; n = t.up[n] {
		lit, ok := n.(*ast.FuncLit)
		if !ok {
			continue
		}
		if lit.Pos() <= obj.Pos() && obj.Pos() <= lit.End() {
			return false
		}
		call, ok := t.up[lit].(*ast.CallExpr)
		if !ok || call.Fun != lit {
			return true
		}
		switch t.up[call].(type) {
		case *ast.GoStmt, *ast.DeferStmt:
			return true
		}
	}
	return false
}

// reassigned looks at an assignment to the variable: what is not made of the memory itself is other memory, which must
// not be released in place of this.
func (t *tracer) reassigned(a *ast.AssignStmt, id *ast.Ident) {
	at := slices.Index(a.Lhs, ast.Expr(id))
	from := a.Rhs[0]
	if len(a.Rhs) == len(a.Lhs) {
		from = a.Rhs[at]
	} else if at > 0 && from != t.origin {
		t.fate.worsen(Unknown, fmt.Sprintf("in a variable that gets other memory at line %d", t.line(a)))
		return
	}
	if s, ok := ast.Unparen(from).(*ast.SliceExpr); ok && s.Low != nil && t.text(s.Low) != "0" {
		t.fate.cut = true
	}
	if from != t.origin && !t.harmless(from) {
		t.fate.worsen(Unknown, fmt.Sprintf("in a variable that gets other memory at line %d", t.line(a)))
	}
}
