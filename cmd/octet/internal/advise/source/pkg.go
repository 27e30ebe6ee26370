package source

import (
	"cmp"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"iter"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/tools/go/ast/inspector"
)

// A pkg is a folder of source, type-checked with the packages of its module: what other modules declare has no types.
type pkg struct {
	fset  *token.FileSet
	root  inspector.Cursor // of all files
	info  *types.Info
	types *types.Package // nil until it is checked
	funcs []function     // those that are declared, in the order of the source
}

// A function is one that is declared, or the value of a variable of the package.
type function struct {
	*pkg
	cur inspector.Cursor
}

// decl returns the declaration of a function that has one.
func (f function) decl() *ast.FuncDecl { return f.cur.Node().(*ast.FuncDecl) }

// given reports whether a variable of the function is a parameter, or the receiver.
func (f function) given(obj types.Object) bool {
	return obj.Pos() < f.typ().End() && f.result(obj) < 0
}

// result returns the number of the result that is the variable, or -1.
func (f function) result(obj types.Object) int {
	i := 0
	if results := f.typ().Results; results != nil {
		for _, field := range results.List {
			for _, name := range field.Names {
				if f.object(name) == obj {
					return i
				}
				i++
			}
		}
	}
	return -1
}

func (f function) typ() *ast.FuncType {
	if lit, ok := f.cur.Node().(*ast.FuncLit); ok {
		return lit.Type
	}
	return f.decl().Type
}

// load returns the package of a folder, or nil if there is none. file is read whatever its build constraints are.
func (t *Tree) load(dir, file string) *pkg {
	if p, ok := t.pkgs[dir]; ok {
		return p
	}
	t.pkgs[dir] = nil
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	p := &pkg{
		fset: token.NewFileSet(),
		info: &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue),
			Defs:  make(map[*ast.Ident]types.Object),
			Uses:  make(map[*ast.Ident]types.Object),
		},
	}
	t.pkgs[dir] = p
	var files []*ast.File
	all := make(map[string][]*ast.File) // by the name of their package
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if filepath.Ext(name) != ".go" || !isSource(name) {
			continue
		}
		if ok, err := build.Default.MatchFile(dir, e.Name()); name != file && (err != nil || !ok) {
			continue
		}
		f, err := parser.ParseFile(p.fset, name, nil, parser.SkipObjectResolution)
		if f == nil || err != nil {
			continue
		}
		files = append(files, f)
		all[f.Name.Name] = append(all[f.Name.Name], f)
	}
	config := types.Config{
		Importer:                 t,
		Error:                    func(error) {}, // all that is imported is unknown
		DisableUnusedImportCheck: true,
	}
	for _, name := range slices.Sorted(maps.Keys(all)) { // tests that have a package of their own import the other one
		checked, _ := config.Check(path.Join(t.Module, t.Rel(dir)), p.fset, all[name], p.info)
		p.types = cmp.Or(p.types, checked)
	}
	p.root = inspector.New(files).Root()
	for cur := range p.root.Preorder((*ast.FuncDecl)(nil)) {
		if fn := (function{p, cur}); fn.decl().Body != nil {
			p.funcs = append(p.funcs, fn)
			if obj := p.info.Defs[fn.decl().Name]; obj != nil {
				t.decls[obj] = fn
			}
		}
	}
	return p
}

// Import returns a package of the module, or one of that path that declares nothing.
func (t *Tree) Import(from string) (*types.Package, error) {
	if rel, ok := strings.CutPrefix(from+"/", t.Module+"/"); ok && filepath.IsLocal(filepath.FromSlash("./"+rel)) {
		if p := t.load(filepath.Join(t.root, filepath.FromSlash(rel)), ""); p != nil && p.types != nil {
			return p.types, nil
		}
	}
	prefix, _, _ := module.SplitPathVersion(from)
	name, _, _ := strings.Cut(strings.TrimPrefix(path.Base(prefix), "go-"), ".")
	p := types.NewPackage(from, name)
	p.MarkComplete()
	return p, nil
}

// declaration returns the function of the module that an object stands for.
func (t *Tree) declaration(obj types.Object) (function, bool) {
	if f, ok := obj.(*types.Func); ok {
		obj = f.Origin() // without type arguments
	}
	fn, ok := t.decls[obj]
	return fn, ok
}

// function returns the outermost function that has the line.
func (p *pkg) function(file string, line int) (function, bool) {
	for cur := range p.root.Preorder((*ast.FuncDecl)(nil), (*ast.FuncLit)(nil)) {
		at := p.fset.Position(cur.Node().Pos())
		if at.Filename == file && at.Line <= line && line <= p.endLine(cur.Node()) {
			return function{p, cur}, true
		}
	}
	return function{}, false
}

func (p *pkg) line(n ast.Node) int { return p.fset.Position(n.Pos()).Line }

func (p *pkg) endLine(n ast.Node) int { return p.fset.Position(n.End()).Line }

// calls are those that begin or end at the line, or open their arguments there; which of these lines a profile has
// depends on the Go release.
func (f function) calls(line int) iter.Seq2[inspector.Cursor, *ast.CallExpr] {
	return func(yield func(inspector.Cursor, *ast.CallExpr) bool) {
		for cur := range f.cur.Preorder((*ast.CallExpr)(nil)) {
			call := cur.Node().(*ast.CallExpr)
			if (f.line(call) == line || f.endLine(call) == line || f.fset.Position(call.Lparen).Line == line) && !yield(cur, call) {
				return
			}
		}
	}
}

// callsTo returns the calls at a line of the function that has this name in profiles.
func (f function) callsTo(name string, line int) (all []inspector.Cursor) {
	name = strings.ReplaceAll(name, "[...]", "") // type arguments
	short := name[strings.LastIndexByte(name, '.')+1:]
	for cur, call := range f.calls(line) {
		// Of methods and of functions of the same package the name alone is known.
		if called, _ := f.callee(call); called == name || strings.TrimPrefix(called, ".") == short {
			all = append(all, cur)
		}
	}
	return all
}

// isBytes reports whether an expression is a slice of bytes, as far as that is known without imports.
func (p *pkg) isBytes(e ast.Expr) bool {
	if tv, ok := p.info.Types[e]; ok && tv.Type != nil {
		s, ok := tv.Type.Underlying().(*types.Slice)
		return ok && isByte(s.Elem())
	}
	return false
}

func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte
}

// object returns what an identifier stands for.
func (p *pkg) object(id *ast.Ident) types.Object {
	if o := p.info.Defs[id]; o != nil {
		return o
	}
	return p.info.Uses[id]
}

// callee returns the name of the called function, such as io.ReadAll with the path of its package, or
// .Read for a method whose type is not known. A function of this package is returned itself as well.
func (p *pkg) callee(call *ast.CallExpr) (name string, obj types.Object) {
	fun := ast.Unparen(call.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	switch fun := fun.(type) {
	case *ast.Ident:
		return fun.Name, p.object(fun)
	case *ast.SelectorExpr:
		obj = p.info.Uses[fun.Sel]
		if id, ok := fun.X.(*ast.Ident); ok {
			if imported := p.imported(id); imported != "" {
				return imported + "." + fun.Sel.Name, obj
			}
		}
		return "." + fun.Sel.Name, obj
	}
	return "", nil
}

// imported returns the path that an identifier stands for, if it is the name of a package.
func (p *pkg) imported(id *ast.Ident) string {
	if name, ok := p.object(id).(*types.PkgName); ok {
		return name.Imported().Path()
	}
	return ""
}

// builtin reports whether a node is a call of the predeclared function of that name.
func (p *pkg) builtin(n ast.Node, name string) bool {
	call, ok := n.(*ast.CallExpr)
	return ok && text(call.Fun) == name && p.object(call.Fun.(*ast.Ident)) == types.Universe.Lookup(name)
}

// is reports whether an expression is a constant of that value.
func (p *pkg) is(e ast.Expr, value int64) bool {
	tv, ok := p.info.Types[e]
	return ok && tv.Value != nil && tv.Value.ExactString() == strconv.FormatInt(value, 10)
}

// contains reports whether a node of that type is in another.
func contains[T ast.Node](n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		_, is := n.(T)
		found = found || is
		return !found
	})
	return found
}
