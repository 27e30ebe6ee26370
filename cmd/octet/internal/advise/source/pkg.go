package source

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A pkg is a folder of source, type-checked without imports: what it declares itself has its types,
// and what it imports has none.
type pkg struct {
	fset  *token.FileSet
	files map[string]*ast.File // by path
	info  *types.Info
	decls map[types.Object]*ast.FuncDecl
	funcs []*ast.FuncDecl // the same, in the order of the source
	// up has the parents of the nodes in the functions that were asked for.
	up map[ast.Node]ast.Node
}

// load returns the package of a file, or nil if it cannot be parsed.
func (t *Tree) load(file string) *pkg { return t.loadDir(filepath.Dir(file), file) }

func (t *Tree) loadDir(dir, file string) *pkg {
	if p, ok := t.pkgs[dir]; ok {
		return p
	}
	p := parseDir(dir, file)
	t.pkgs[dir] = p
	return p
}

func parseDir(dir, file string) *pkg {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	p := &pkg{
		fset:  token.NewFileSet(),
		files: make(map[string]*ast.File),
		decls: make(map[types.Object]*ast.FuncDecl),
		up:    make(map[ast.Node]ast.Node),
		info: &types.Info{
			Types: make(map[ast.Expr]types.TypeAndValue),
			Defs:  make(map[*ast.Ident]types.Object),
			Uses:  make(map[*ast.Ident]types.Object),
		},
	}
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
		p.files[name] = f
		all[f.Name.Name] = append(all[f.Name.Name], f)
	}
	config := types.Config{
		Importer:                 noImports{},
		Error:                    func(error) {}, // all that is imported is unknown
		DisableUnusedImportCheck: true,
	}
	for name, files := range all {
		config.Check(name, p.fset, files, p.info)
	}
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		for _, d := range p.files[name].Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				if obj := p.info.Defs[fn.Name]; obj != nil {
					p.decls[obj] = fn
					p.funcs = append(p.funcs, fn)
				}
			}
		}
	}
	return p
}

// declared returns a function of another package of the module, by the name that callee returns.
func (t *Tree) declared(name string) (*pkg, *ast.FuncDecl) {
	dot := strings.LastIndexByte(name, '.')
	rel, ok := strings.CutPrefix(name[:max(dot, 0)], t.Module+"/")
	if !ok || !filepath.IsLocal(filepath.FromSlash(rel)) {
		return nil, nil
	}
	p := t.loadDir(filepath.Join(t.root, filepath.FromSlash(rel)), "")
	if p == nil {
		return nil, nil
	}
	for _, fn := range p.funcs {
		if fn.Recv == nil && fn.Name.Name == name[dot+1:] {
			return p, fn
		}
	}
	return nil, nil
}

// constant reports whether an identifier is a variable of the package that is declared with a constant.
func (p *pkg) constant(id *ast.Ident) bool {
	at := slices.IndexFunc(p.info.InitOrder, func(i *types.Initializer) bool { return i.Lhs[0] == p.object(id) })
	if at < 0 {
		return false
	}
	_, lit := p.info.InitOrder[at].Rhs.(*ast.BasicLit)
	return lit
}

// noImports gives all packages that are imported, without anything that they declare.
type noImports struct{}

func (noImports) Import(from string) (*types.Package, error) {
	name := path.Base(from)
	if isMajor(name) {
		name = path.Base(path.Dir(from))
	}
	name, _, _ = strings.Cut(strings.TrimPrefix(name, "go-"), ".")
	p := types.NewPackage(from, name)
	p.MarkComplete()
	return p, nil
}

// function returns the declaration that has the line. For a function in the value of a variable it makes one.
func (p *pkg) function(file string, line int) (fn *ast.FuncDecl) {
	if p.files[file] == nil {
		return nil
	}
	ast.Inspect(p.files[file], func(n ast.Node) bool {
		if n == nil || fn != nil || line < p.line(n) || p.fset.Position(n.End()).Line < line {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			fn = n
		case *ast.FuncLit:
			fn = &ast.FuncDecl{Name: ast.NewIdent("func"), Type: n.Type, Body: n.Body}
		}
		return fn == nil
	})
	if fn == nil || fn.Body == nil {
		return nil
	}
	p.link(fn)
	return fn
}

// link notes the parents of all nodes in the function.
func (p *pkg) link(fn *ast.FuncDecl) {
	if p.up[fn.Body] == nil {
		ast.PreorderStack(fn, nil, func(n ast.Node, stack []ast.Node) bool {
			if len(stack) > 0 {
				p.up[n] = stack[len(stack)-1]
			}
			return true
		})
	}
}

func (p *pkg) line(n ast.Node) int { return p.fset.Position(n.Pos()).Line }

// at calls f for each node of the function that begins or ends at the line; a call that spans lines is known
// by any of them, depending on the Go release.
func (p *pkg) at(fn *ast.FuncDecl, line int, f func(ast.Node)) {
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		if n != nil && (p.line(n) == line || p.fset.Position(n.End()).Line == line || p.lparen(n) == line) {
			f(n)
		}
		return true
	})
}

func (p *pkg) lparen(n ast.Node) int {
	if call, ok := n.(*ast.CallExpr); ok {
		return p.fset.Position(call.Lparen).Line
	}
	return 0
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

// imports reports whether the file of a node imports a package.
func (p *pkg) imports(n ast.Node, path string) bool {
	for _, spec := range p.files[p.fset.Position(n.Pos()).Filename].Imports {
		if spec.Path.Value == strconv.Quote(path) {
			return true
		}
	}
	return false
}

func isMajor(s string) bool {
	_, err := strconv.Atoi(strings.TrimPrefix(s, "v"))
	return strings.HasPrefix(s, "v") && err == nil
}
