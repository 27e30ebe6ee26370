package rules

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// listed reports a release of memory that a map or a list shows, of a global variable or of a parameter, where the
// function takes nothing out again. The memory itself may be there to be used again; what shows a part of it is not.
//
// Fixtures: oct002/listed.go.
func (c *checker) listed(e paths.Event) bool {
	at := e.Life.Listed
	if at == nil || !e.Ref.Obj.Family.Counted || at.Parent() != e.By.Parent() || guard(e.By) != nil {
		return false
	}
	holder := container(at)
	if holder == nil || emptied(at, holder) {
		return false
	}
	c.report("OCT002", e.Ref.Obj, at, e.By)
	return true
}

// container returns the variable, the field or the parameter of which the map or list is that at adds to; nil if it is
// none that others see.
func container(at ssa.Instruction) any {
	switch at := at.(type) {
	case *ssa.MapUpdate:
		return holderOf(at.Map)
	case *ssa.Call:
		if b, ok := at.Call.Value.(*ssa.Builtin); !ok || b.Name() != "append" {
			return nil
		}
		holder := holderOf(at.Call.Args[0])
		if slices.ContainsFunc(*at.Referrers(), func(use ssa.Instruction) bool {
			store, ok := use.(*ssa.Store)
			return ok && holder != nil && addressed(store.Addr) == holder
		}) {
			return holder
		}
	}
	return nil
}

func holderOf(v ssa.Value) any {
	switch v := v.(type) {
	case *ssa.Parameter:
		return v
	case *ssa.UnOp:
		return addressed(v.X)
	}
	return nil
}

// addressed returns the global variable, or the field of what a parameter leads to, that v is the address of.
func addressed(v ssa.Value) any {
	switch v := v.(type) {
	case *ssa.Global:
		return v
	case *ssa.FieldAddr:
		if param, _ := ir.Origin(v); param != nil {
			return types.Object(ir.Field(v))
		}
	}
	return nil
}

// emptied reports whether the function of at, or one that it calls, takes something out of a map or a list, or puts
// another one in place of that of holder.
func emptied(at ssa.Instruction, holder any) bool {
	result, _ := at.(ssa.Value)
	var empties func(fn *ssa.Function, calls bool) bool
	empties = func(fn *ssa.Function, calls bool) bool {
		for i := range ir.Instructions(fn) {
			switch i := i.(type) {
			case *ssa.Store:
				if i.Val != result && addressed(i.Addr) == holder {
					return true
				}
			case ssa.CallInstruction:
				if b, ok := i.Common().Value.(*ssa.Builtin); ok && (b.Name() == "delete" || b.Name() == "clear") {
					return true
				}
				if callee := ir.Callee(i.Common()); calls && callee != nil && empties(callee, false) {
					return true
				}
			}
		}
		return slices.ContainsFunc(fn.AnonFuncs, func(lit *ssa.Function) bool { return empties(lit, calls) })
	}
	return empties(at.Parent(), true)
}
