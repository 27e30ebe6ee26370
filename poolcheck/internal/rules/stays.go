package rules

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// stays reports memory that the function has put into a struct of its caller, and released when it ends,
// where nothing takes it out: a middleware's writer in the context of a request. What the function calls in
// between is taken not to.
//
// Fixtures: oct002/context.go.
func (c *checker) stays(t *contract.Trace) {
	seen := make(map[ssa.Instruction]bool)
	for _, x := range t.Exits {
		for o, l := range x.State.Life.All() {
			store, ok := l.Planted.(*ssa.Store)
			if !ok || seen[store] || l.Phase != domain.Released || guard(l.By) != nil {
				continue
			}
			seen[store] = true
			field, ok := store.Addr.(*ssa.FieldAddr)
			if param, _ := ir.Origin(store.Addr); ok && param != nil && !replaced(store, ir.Field(field)) {
				c.report("OCT002", o, store, l.By)
			}
		}
	}
}

// replaced reports whether the function of store, or one that it calls, writes to the same field elsewhere.
func replaced(store *ssa.Store, field types.Object) bool {
	fn := store.Parent()
	for fn.Parent() != nil {
		fn = fn.Parent()
	}
	var writes func(fn *ssa.Function, calls bool) bool
	writes = func(fn *ssa.Function, calls bool) bool {
		for i := range ir.Instructions(fn) {
			switch i := i.(type) {
			case *ssa.Store:
				if fa, ok := i.Addr.(*ssa.FieldAddr); ok && i != store && ir.Field(fa) == field {
					return true
				}
			case ssa.CallInstruction:
				if callee := ir.Callee(i.Common()); calls && callee != nil && callee.Parent() == nil && writes(callee, false) {
					return true
				}
			}
		}
		return slices.ContainsFunc(fn.AnonFuncs, func(lit *ssa.Function) bool { return writes(lit, calls) })
	}
	return writes(fn, true)
}
