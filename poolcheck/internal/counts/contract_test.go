package counts

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/octet-go/octet/poolcheck/internal/flow"
)

// program has functions whose comments say what they promise: for each parameter that is counted, or
// a list, how the number of references that the caller owns changes, and to whom a result belongs.
const program = `package program

import (
	"errors"
	"sync"
	"sync/atomic"
)

type thing struct {
	refs atomic.Int64
	next *thing
	n    int
}

func (t *thing) Retain() { t.refs.Add(1) }

func (t *thing) Release() {
	if t.refs.Add(-1) == 0 {
		t.next = nil
	}
}

// plain counts without atomics, and its methods have other names.
type plain struct{ refs int }

// plain.more: +1
func (p *plain) more() { p.refs++ }

// plain.less: -1
func (p *plain) less() {
	p.refs--
	if p.refs == 0 {
		*p = plain{}
	}
}

// around has its count in what it embeds.
type around struct{ *thing; inner counted }

type counted struct{ refs atomic.Int32 }

// counted.drop: -1
func (c *counted) drop() bool { return c.refs.Add(-1) == 0 }

type array struct {
	counted
	values []int
}

// newArray: -> owned
func newArray() *array {
	a := &array{}
	a.refs.Store(1)
	return a
}

// array.end: -1
func (a *array) end() {
	if a.drop() {
		a.values = nil
	}
}

// New: -> owned
func New() *thing {
	t := new(thing)
	t.refs.Store(1)
	return t
}

// unborn: -> borrowed
func unborn() *thing { return &thing{} }

// same: 0 -> argument 0
func same(t *thing) *thing { return t }

// another: 0 -> owned
func another(t *thing) *thing {
	t.Retain()
	return t
}

// either: 0 -> borrowed
func either(t *thing, b bool) *thing {
	if b {
		return New()
	}
	return t
}

var errNone = errors.New("none")

// may: -> owned
func may(n int) (*thing, error) {
	if n < 0 {
		return nil, errNone
	}
	return New(), nil
}

type list struct{ head *thing }

// list.put: -1
func (l *list) put(t *thing) { l.head = t }

// list.share: 0
func (l *list) share(t *thing) {
	l.head = t
	t.Retain()
}

// list.find: -> borrowed
func (l *list) find() *thing { return l.head }

// sometimes: ?
func sometimes(t *thing, b bool) {
	if b {
		t.Release()
	}
}

// ifAny: -1
func ifAny(t *thing) {
	if t != nil {
		t.Release()
	}
}

// all: -1
func all(ts []*thing) {
	for _, t := range ts {
		t.Release()
	}
}

// throughList: -1
func throughList(t *thing) { all([]*thing{t}) }

// inList: -1
func inList(t *thing) {
	for _, x := range []*thing{t} {
		x.Release()
	}
}

// listed: -1
func listed(t *thing, to *table) { to.things = append(to.things, t) }

// inBranches: -1
func inBranches(ts []*thing) {
	for _, t := range ts {
		if t.n > 0 {
			t.n--
			t.Release()
			continue
		}
		t.Release()
	}
}

type queue[T any] struct{ items []T }

func (q *queue[T]) push(x T) { q.items = append(q.items, x) }

// pushed: ?
func pushed(t *thing, q *queue[*thing]) { q.push(t) }

// swapped: ?
func swapped(t *thing, to *atomic.Pointer[thing]) { to.Store(t) }

func generic[T any](t *thing, x T) *thing {
	t.Retain()
	return t
}

// instance: 0 -> owned
func instance(t *thing) *thing { return generic(t, 1) }

var kept []any

func keepAny(x any) { kept = append(kept, x) }

// hidden: ?
func hidden(t *thing) { keepAny(t) }

// stored: ?
func stored(t *thing, m *sync.Map) { m.Store(t.n, t) }

// inUncertain: ?
func inUncertain(t *thing) { some([]*thing{t}, 1) }

// onward: -1
func onward(ts []*thing) {
	for _, t := range ts {
		all([]*thing{t})
	}
}

// some: ?
func some(ts []*thing, n int) {
	for _, t := range ts[:n] {
		if t.n == n {
			t.Release()
		}
	}
}

type table struct{ things []*thing }

// keepAll: 0
func keepAll(ts []*thing) *table {
	for _, t := range ts {
		t.Retain()
	}
	return &table{ts}
}

// takeAll: -1
func takeAll(ts []*thing) *table {
	t := new(table)
	t.things = append(t.things, ts...)
	return t
}

// several: -> owned
func several(n int) []*thing {
	var ts []*thing
	for range n {
		ts = append(ts, New())
	}
	return ts
}

// unknown: ?
func unknown(t *thing, f func(*thing)) { f(t) }

// swap: 0
func swap(t *thing) {
	t.Retain()
	defer t.Release()
	t.n++
}

// inLiteral: -1
func inLiteral(t *thing) {
	defer func() { t.Release() }()
	t.n++
}

// sends: -1
func sends(t *thing, c chan *thing) { c <- t }

// again: -1
func again(t *thing, n int) {
	if n == 0 {
		t.Release()
		return
	}
	t.Release()
}

type shape interface {
	Retain()
	Release()
}

// through: -1
func through(s shape) { s.Release() }

// asserted: -1
func asserted(s shape) {
	if t, ok := s.(*thing); ok {
		t.Release()
		return
	}
	s.Release()
}
`

func TestContracts(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "program.go", program, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{Importer: importer.ForCompiler(fset, "source", nil)}, fset,
		types.NewPackage("program", "program"), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	fns := make(map[string]*ssa.Function)
	want := make(map[string]string)
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		obj, recv := pkg.Pkg.Scope().Lookup(d.Name.Name), ""
		if d.Recv != nil {
			recv = strings.TrimSuffix(types.ExprString(d.Recv.List[0].Type.(*ast.StarExpr).X), "[T]") + "."
			named := pkg.Pkg.Scope().Lookup(strings.TrimSuffix(recv, ".")).Type()
			obj, _, _ = types.LookupFieldOrMethod(types.NewPointer(named), true, pkg.Pkg, d.Name.Name)
		}
		name := recv + d.Name.Name
		fns[name] = pkg.Prog.FuncValue(obj.(*types.Func))
		if text, ok := strings.CutPrefix(d.Doc.Text(), name+":"); ok {
			want[name] = strings.TrimSpace(text)
		}
	}
	var all []*ssa.Function
	for _, fn := range fns {
		all = append(all, fn)
	}
	p := New(pkg, all, flow.NewNames([]*ast.File{file}), func(*types.Func) *Contract { return nil })
	if len(want) < 25 {
		t.Errorf("%d contracts in the program, want 25 or more", len(want))
	}
	for name, text := range want {
		if got := describe(p, fns[name]); got != text {
			t.Errorf("%s promises %q, want %q", name, got, text)
		}
	}
}

// describe returns what fn promises for the parameters and results that are followed.
func describe(p *Package, fn *ssa.Function) string {
	c := p.Contract(fn)
	if c == nil {
		return "nothing"
	}
	var words []string
	for i, param := range fn.Params {
		if !p.follows(param.Type()) {
			continue
		}
		switch e := c.param(i); {
		case e.Unsure:
			words = append(words, "?")
		case e.N == 0:
			words = append(words, "0")
		default:
			words = append(words, fmt.Sprintf("%+d", e.N))
		}
	}
	for i := range fn.Signature.Results().Len() {
		if !p.follows(fn.Signature.Results().At(i).Type()) {
			continue
		}
		switch result := c.result(i); result {
		case Borrowed:
			words = append(words, "-> borrowed")
		case Owned:
			words = append(words, "-> owned")
		default:
			words = append(words, fmt.Sprintf("-> argument %d", result-Argument))
		}
	}
	return strings.Join(words, " ")
}
