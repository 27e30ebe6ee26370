package rules

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// listed reports a release of memory that a map or a list shows, of a global variable, of a parameter or as a result, where
// the function takes nothing out again. The memory itself may be there to be used again; what shows a part of it is not.
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
	if v, ok := holder.(ssa.Instruction); ok && !returned(v.(ssa.Value), e.By) { // the function has made it
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
		if ofList(&at.Call) {
			return holderOf(at.Call.Args[0])
		}
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

// ofList reports whether c is a method of container/list.
func ofList(c *ssa.CallCommon) bool {
	f := ir.Declared(c)
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == "container/list" && f.Signature().Recv() != nil
}

func holderOf(v ssa.Value) any {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.MakeMap:
		return v
	case *ssa.Call: // of list.New
		if f := ir.Declared(&v.Call); f != nil && f.Pkg() != nil && f.Pkg().Path() == "container/list" {
			return v
		}
	case *ssa.UnOp:
		return addressed(v.X)
	}
	return addressed(v)
}

// returned reports whether a function returns v on a way behind at, perhaps by the variable of a result.
func returned(v ssa.Value, at ssa.Instruction) bool {
	is := func(result ssa.Value) bool {
		load, ok := result.(*ssa.UnOp)
		return result == v || ok && slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
			store, ok := use.(*ssa.Store)
			return ok && store.Val == v && store.Addr == load.X
		})
	}
	seen := make(map[*ssa.BasicBlock]bool)
	var visit func(b *ssa.BasicBlock) bool
	visit = func(b *ssa.BasicBlock) bool {
		if seen[b] {
			return false
		}
		seen[b] = true
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		return ok && slices.ContainsFunc(ret.Results, is) || slices.ContainsFunc(b.Succs, visit)
	}
	return visit(at.Block())
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
				if f := ir.Declared(i.Common()); ofList(i.Common()) && (f.Name() == "Remove" || f.Name() == "Init") {
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
