package driver

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strconv"
)

// A source is a unit of which all is checked.
type source struct {
	files []*ast.File
	pkg   *types.Package
	info  *types.Info
}

// whole checks all of u.
func (r *run) whole(u *unit) (*source, error) {
	if len(u.Errors) > 0 {
		return nil, u.Errors[0]
	}
	s := &source{info: &types.Info{
		Types:        make(map[ast.Expr]types.TypeAndValue),
		Defs:         make(map[*ast.Ident]types.Object),
		Uses:         make(map[*ast.Ident]types.Object),
		Implicits:    make(map[ast.Node]types.Object),
		Instances:    make(map[*ast.Ident]types.Instance),
		Scopes:       make(map[ast.Node]*types.Scope),
		Selections:   make(map[*ast.SelectorExpr]*types.Selection),
		FileVersions: make(map[*ast.File]string),
	}}
	for _, name := range u.CompiledGoFiles {
		f, err := parser.ParseFile(r.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
	}
	var first error
	conf := r.config(u)
	conf.Error = func(err error) {
		if first == nil {
			first = err
		}
	}
	s.pkg, _ = conf.Check(u.PkgPath, r.fset, s.files, s.info)
	u.typed.Do(func() { u.types = s.pkg })
	return s, first
}

// declarations checks what others see of u, if nobody has checked all of it. Faults are of no interest: whoever asks
// for the package hears of them.
func (r *run) declarations(u *unit) *types.Package {
	u.typed.Do(func() {
		var files []*ast.File
		for _, name := range u.CompiledGoFiles {
			if f, _ := parser.ParseFile(r.fset, name, nil, parser.SkipObjectResolution); f != nil {
				dropImports(u, f)
				files = append(files, f)
			}
		}
		conf := r.config(u)
		conf.IgnoreFuncBodies = true
		conf.Error = func(error) {}
		u.types, _ = conf.Check(u.PkgPath, r.fset, files, nil)
	})
	return u.types
}

func (r *run) config(u *unit) *types.Config {
	conf := &types.Config{Sizes: u.TypesSizes, Importer: importer(func(path string) (*types.Package, error) {
		if path == "unsafe" {
			return types.Unsafe, nil
		}
		if imp := u.imports[path]; imp != nil {
			return r.declarations(imp), nil
		}
		return nil, fmt.Errorf("package %s is not there", path)
	})}
	if u.Module != nil && u.Module.GoVersion != "" {
		conf.GoVersion = "go" + u.Module.GoVersion
	}
	return conf
}

type importer func(path string) (*types.Package, error)

func (f importer) Import(path string) (*types.Package, error) { return f(path) }

// dropImports takes those imports out of f that no declaration outside of function bodies names.
func dropImports(u *unit, f *ast.File) {
	named := make(map[string]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil {
				ast.Inspect(n.Recv, naming(named))
			}
			ast.Inspect(n.Type, naming(named))
			return false
		case *ast.GenDecl:
			ast.Inspect(n, naming(named))
			return false
		}
		return true
	})
	f.Decls = slices.DeleteFunc(f.Decls, func(decl ast.Decl) bool {
		d, ok := decl.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			return false
		}
		d.Specs = slices.DeleteFunc(d.Specs, func(spec ast.Spec) bool {
			name := localName(u, spec.(*ast.ImportSpec))
			return name != "." && !named[name]
		})
		return len(d.Specs) == 0
	})
}

// naming returns a visitor that collects the names that stand before a dot, such as bytes in bytes.Buffer. It does not look into
// the bodies of functions.
func naming(named map[string]bool) func(ast.Node) bool {
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				named[x.Name] = true
			}
		case *ast.FuncLit:
			ast.Inspect(n.Type, visit)
			return false
		}
		return true
	}
	return visit
}

// localName returns the name by which the file of an import knows it.
func localName(u *unit, spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	path, _ := strconv.Unquote(spec.Path.Value)
	if imp := u.imports[path]; imp != nil {
		return imp.Name
	}
	return path // unsafe
}
