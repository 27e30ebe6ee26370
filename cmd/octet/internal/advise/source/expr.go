package source

import (
	"go/ast"
	"go/printer"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// allocation returns the first call at a line that allocates bytes by itself, and what to write in place of it.
func (f function) allocation(line int) (inspector.Cursor, remedy) {
	for cur, call := range f.calls(line) {
		name, obj := f.callee(call)
		args, predeclared := call.Args, obj == nil || obj.Pkg() == nil
		r := remedy{what: text(call), result: true}
		switch {
		case predeclared && name == "make" && len(args) > 1 && f.isBytes(args[0]):
			r.cleared = true
			switch {
			case len(args) == 2:
				r.advice = "{v} bytespool.New({int 2})"
			case text(args[1]) == "0":
				r.advice = "{v} bytespool.Make({int 3})"
			default:
				r.advice = "{v} bytespool.New({int 3})[:{2}]"
			}
		case predeclared && name == "append" && len(args) > 1 && f.isBytes(call):
			r.grows = !call.Ellipsis.IsValid() || !isEmpty(args[0])
			r.advice = "{v} bytespool.Append({1}, {2}...)" // nil if it was
			if t, ok := f.info.Types[args[1]].Type.(*types.Basic); ok && t.Info()&types.IsString != 0 {
				r.advice = "{v} bytespool.Append({1}, []byte({2})...)"
			}
		case len(args) == 1 && f.isBytes(call.Fun) && !f.isBytes(args[0]):
			r.advice = copied
		default:
			continue
		}
		return cur, r
	}
	return inspector.Cursor{}, remedy{}
}

// isEmpty reports whether the expression is a slice without room, such as []byte(nil) and []byte{}.
func isEmpty(e ast.Expr) bool {
	s := text(e)
	return strings.HasSuffix(s, "(nil)") || strings.HasSuffix(s, "{}")
}

// aBuffer is the type bytes.Buffer, and what makes a new one.
var aBuffer = regexp.MustCompile(`^(&?bytes\.Buffer(\{\})?|new\(bytes\.Buffer\)|bytes\.NewBuffer\((nil|make\(\[\]byte, 0, .*\)|\[\]byte\(nil\)|\[\]byte\{\})\))$`)

func isBuffer(e ast.Expr) bool { return aBuffer.MatchString(text(e)) }

// buffers returns the variables of type bytes.Buffer that the function declares, and where the last is declared.
func (f function) buffers() (at inspector.Cursor, ids []*ast.Ident) {
	for decl := range f.cur.Preorder((*ast.ValueSpec)(nil), (*ast.AssignStmt)(nil)) {
		var name ast.Expr
		switch n := decl.Node().(type) {
		case *ast.ValueSpec:
			if n.Type != nil && isBuffer(n.Type) || len(n.Values) == 1 && isBuffer(n.Values[0]) {
				name = n.Names[0]
			}
		case *ast.AssignStmt:
			if i := slices.IndexFunc(n.Rhs, isBuffer); i >= 0 && len(n.Lhs) == len(n.Rhs) {
				name = n.Lhs[i]
			}
		}
		if id, ok := name.(*ast.Ident); ok && id.Name != "_" {
			at, ids = decl, append(ids, id)
		}
	}
	return at, ids
}

// from returns the path of the imported package that an expression is of, such as binary.BigEndian or base64.StdEncoding,
// but for interfaces, which others may have, too.
func (p *pkg) from(e ast.Expr) string {
	if sel, ok := e.(*ast.SelectorExpr); ok && !strings.HasSuffix(sel.Sel.Name, "ByteOrder") {
		e = sel.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return p.imported(id)
	}
	return ""
}

// loop returns the outermost loop that has the node and not the declaration at pos; if there is none, it
// reports whether the node is in a loop at all.
func loop(cur inspector.Cursor, pos token.Pos) (outer ast.Node, in bool) {
	for cur := range cur.Enclosing((*ast.ForStmt)(nil), (*ast.RangeStmt)(nil), (*ast.FuncLit)(nil)) {
		n := cur.Node()
		if _, ok := n.(*ast.FuncLit); ok {
			break
		}
		in = true
		if pos.IsValid() && (pos < n.Pos() || pos > n.End()) {
			outer = n
		}
	}
	return outer, in
}

// text returns an expression as source in one line, and not at length.
func text(e ast.Expr) string {
	s := strings.Join(strings.Fields(whole(e)), " ")
	if r := []rune(s); len(r) > 60 {
		return string(r[:59]) + "…"
	}
	return s
}

// whole returns an expression as source.
func whole(e ast.Expr) string {
	var b strings.Builder
	printer.Fprint(&b, token.NewFileSet(), e)
	return b.String()
}

// int returns an expression as an int: make takes any integer.
func (p *pkg) int(e ast.Expr) string {
	if p.info.Types[e].Type == types.Typ[types.Int] {
		return whole(e)
	}
	return "int(" + whole(e) + ")"
}

// A target is what an expression is assigned to.
type target struct {
	name string // b if it is not assigned to a variable
	op   string // := or =
	pos  token.Pos
}

func (v target) String() string { return v.name + " " + v.op }

// assigned returns what the statement around an expression assigns its value to, or that of its results, or nil.
func assigned(cur inspector.Cursor, result int) ast.Expr {
	kind, i := cur.ParentEdge()
	switch kind {
	case edge.AssignStmt_Rhs:
		a := cur.Parent().Node().(*ast.AssignStmt)
		if len(a.Lhs) != len(a.Rhs) { // a call with several results
			i = min(result, len(a.Lhs)-1)
		}
		return a.Lhs[i]
	case edge.ValueSpec_Values:
		names := cur.Parent().Node().(*ast.ValueSpec).Names
		return names[min(max(i, result), len(names)-1)]
	}
	return nil
}

// targetOf returns what the expression, or its first result, is assigned to.
func (p *pkg) targetOf(cur inspector.Cursor) target {
	switch cur.ParentEdgeKind() {
	case edge.SliceExpr_X, edge.ParenExpr_X, edge.UnaryExpr_X:
		return p.targetOf(cur.Parent())
	}
	if id, ok := assigned(cur, 0).(*ast.Ident); ok && id.Name != "_" {
		v := target{name: id.Name, op: ":="}
		if a, ok := cur.Parent().Node().(*ast.AssignStmt); ok {
			v.op = a.Tok.String()
		}
		if obj := p.object(id); obj != nil {
			v.pos = obj.Pos()
		}
		return v
	}
	return target{name: "b", op: ":="}
}
