package poolcheck

import (
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// relevant reports whether a package is worth the construction of its SSA form, which takes most of
// the time. It looks only at imports and declarations. A package is relevant if it imports a package of
// the table, or one whose functions hand out or take back memory, or if it uses sync.Pool. The table
// describes the standard library.
func relevant(pass *analysis.Pass, table api.Table) bool {
	packages := table.Packages()
	if isPool, named := packages[pass.Pkg.Path()]; named {
		return !isPool
	}
	for _, imp := range pass.Pkg.Imports() {
		if _, named := packages[imp.Path()]; named || pass.ImportPackageFact(imp, new(poolFact)) {
			return true
		}
		if imp.Path() == "sync" && mentions(pass, imp, "Pool") || imp.Path() == "net/http/httputil" && mentions(pass, imp, "BufferPool") {
			return true
		}
	}
	return false
}

// mentions reports whether the package uses name of imp.
func mentions(pass *analysis.Pass, imp *types.Package, name string) bool {
	want := imp.Scope().Lookup(name)
	for _, obj := range pass.TypesInfo.Uses {
		if obj == want {
			return true
		}
	}
	return false
}

// build constructs the SSA form of the package. It does what the analyzer buildssa does, which runs on
// every package whether it is wanted or not, and needs the analyzer ctrlflow, too.
func build(pass *analysis.Pass) *ssa.Package {
	prog := ssa.NewProgram(pass.Fset, 0)
	for _, imp := range pass.Pkg.Imports() {
		prog.CreatePackage(imp, nil, nil, true)
	}
	pkg := prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)
	pkg.Build()
	return pkg
}
