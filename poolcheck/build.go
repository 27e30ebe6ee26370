package poolcheck

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/counts"
	"github.com/octet-go/octet/poolcheck/internal/flow"
)

// relevant reports whether a package is worth the construction of its SSA
// form, which takes most of the time. It looks only at imports and declarations. A
// package is relevant if it imports a package of the table, or one whose
// functions hand out or take back memory, if it uses sync.Pool, or if it declares
// what looks like a pool, or a type that counts references. A package without pools is relevant if its exported functions take slices of bytes:
// what they do with them matters to their callers. The standard library is
// described by the table instead.
func relevant(pass *analysis.Pass, table api.Table) bool {
	packages := table.Packages()
	if isPool, named := packages[pass.Pkg.Path()]; named {
		return !isPool
	}
	for _, imp := range pass.Pkg.Imports() {
		if _, named := packages[imp.Path()]; named || pass.ImportPackageFact(imp, new(poolFact)) {
			return true
		}
		if imp.Path() == "sync" && mentions(pass, imp, "Pool") {
			return true
		}
		if imp.Path() == "net/http/httputil" && mentions(pass, imp, "BufferPool") {
			return true
		}
	}
	return !api.Standard(pass.Pkg.Path()) && (anyTakesBytes(pass.Pkg) || flow.DeclaresPool(pass.Pkg) || counts.Declares(pass.Pkg))
}

// mentions reports whether the package uses name of imp.
func mentions(pass *analysis.Pass, imp *types.Package, name string) bool {
	want := imp.Scope().Lookup(name)
	for _, f := range pass.Files {
		found := false
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == name && pass.TypesInfo.Uses[id] == want {
				found = true
			}
			return !found
		})
		if found {
			return true
		}
	}
	return false
}

// anyTakesBytes reports whether an exported function or method of pkg takes
// bytes.
func anyTakesBytes(pkg *types.Package) bool {
	for _, name := range pkg.Scope().Names() {
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Func:
			if takesBytes(obj) {
				return true
			}
		case *types.TypeName:
			if named, ok := types.Unalias(obj.Type()).(*types.Named); ok && obj.Exported() {
				for m := range named.Methods() {
					if takesBytes(m) {
						return true
					}
				}
			}
		}
	}
	return false
}

// takesBytes reports whether f is exported and has a parameter or result that
// may well be a buffer.
func takesBytes(f *types.Func) bool {
	if !f.Exported() {
		return false
	}
	sig := f.Signature()
	for _, list := range []*types.Tuple{sig.Params(), sig.Results()} {
		for v := range list.Variables() {
			if flow.TakesBytes(v.Type()) {
				return true
			}
		}
	}
	return false
}

// build constructs the SSA form of the package. It does what the analyzer
// buildssa does, which runs on every package whether it is wanted or not, and
// needs the analyzer ctrlflow, too.
func build(pass *analysis.Pass) *ssa.Package {
	prog := ssa.NewProgram(pass.Fset, 0)
	for _, imp := range pass.Pkg.Imports() {
		prog.CreatePackage(imp, nil, nil, true)
	}
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	return pkg
}

// functions returns the functions of the package in the order of its source,
// with the literals inside of each behind it.
func functions(pkg *ssa.Package, pass *analysis.Pass) []*ssa.Function {
	var fns []*ssa.Function
	var add func(fn *ssa.Function)
	add = func(fn *ssa.Function) {
		fns = append(fns, fn)
		for _, lit := range fn.AnonFuncs {
			add(lit)
		}
	}
	for _, f := range pass.Files {
		for _, decl := range f.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				if obj, ok := pass.TypesInfo.Defs[decl.Name].(*types.Func); ok {
					if fn := pkg.Prog.FuncValue(obj); fn != nil && len(fn.Blocks) > 0 {
						add(fn)
					}
				}
			}
		}
	}
	if init := pkg.Func("init"); init != nil {
		for _, lit := range init.AnonFuncs {
			if !slices.Contains(fns, lit) {
				add(lit)
			}
		}
	}
	return fns
}
