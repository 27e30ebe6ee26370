package poolcheck

import (
	"go/ast"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A relevance says whether a package is worth the construction of its SSA
// form, which is what costs.
type relevance int

const (
	irrelevant relevance = iota
	relevant
)

// relevance looks at imports and declarations alone. A package is relevant if
// it imports a package of the table, or one whose functions hand out or take
// back memory, or if it uses sync.Pool. A package without pools is relevant if
// its exported functions take slices of bytes: what they do with them matters
// to their callers. The standard library is described by the table instead.
func (c *checker) relevance(pass *analysis.Pass, table api.Table) relevance {
	packages := table.Packages()
	if packages[pass.Pkg.Path()] {
		return irrelevant // the pools themselves
	}
	for _, imp := range pass.Pkg.Imports() {
		if packages[imp.Path()] || pass.ImportPackageFact(imp, new(poolFact)) {
			return relevant
		}
		if imp.Path() == "sync" && mentions(pass, imp, "Pool") {
			return relevant
		}
		if imp.Path() == "net/http/httputil" && mentions(pass, imp, "BufferPool") {
			return relevant
		}
	}
	if !api.Standard(pass.Pkg.Path()) && takesBytes(pass.Pkg) {
		return relevant
	}
	return irrelevant
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

// takesBytes reports whether an exported function or method of pkg has a
// parameter of type []byte.
func takesBytes(pkg *types.Package) bool {
	takes := func(f *types.Func) bool {
		if !f.Exported() {
			return false
		}
		params := f.Signature().Params()
		for i := range params.Len() {
			if s, ok := params.At(i).Type().Underlying().(*types.Slice); ok && types.Identical(s.Elem(), types.Typ[types.Byte]) {
				return true
			}
		}
		return false
	}
	for _, name := range pkg.Scope().Names() {
		switch obj := pkg.Scope().Lookup(name).(type) {
		case *types.Func:
			if takes(obj) {
				return true
			}
		case *types.TypeName:
			if named, ok := types.Unalias(obj.Type()).(*types.Named); ok && obj.Exported() {
				for m := range named.Methods() {
					if takes(m) {
						return true
					}
				}
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
