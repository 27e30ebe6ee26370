package contract

import (
	"go/types"

	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// A run is the exploration of one function of the package, which is its policy.
type run struct {
	*paths.Run
	p *Package
}

func newRun(p *Package) *run {
	r := &run{p: p}
	r.Run = paths.New(r)
	return r
}

// What package paths asks of the package.
func (r *run) Pools(t types.Type) bool      { return r.p.pools(t) }
func (r *run) HasOwn(field *types.Var) bool { return r.p.hasOwn(field) }
func (r *run) Returned(key any)             { r.p.borrows[key] = true }

// Replaced tells of the fields that other packages cannot write.
//
// Fixture: oct002/replaced.go.
func (r *run) Replaced(field *types.Var) bool {
	return field.Pkg() == r.p.Package && !field.Exported() && !r.p.kept[field]
}
