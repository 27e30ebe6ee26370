package poolcheck

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/flow"
)

// decodedUnreset reports the Gets of structs that JSON is decoded into although nothing
// empties them: a field that the text leaves out keeps what an earlier text said. It
// looks at structs of which the package sees all: no code but the decoder is given them.
func decodedUnreset(fns []*ssa.Function, names *flow.Names) []*flow.Report {
	gets := make(map[*types.Named][]*ssa.Call)
	for _, fn := range fns {
		for call := range callInstructions(fn) {
			if arg := decodedInto(call); arg != nil {
				if get, t := gotten(arg); get != nil && !slices.Contains(gets[t], get) {
					gets[t] = append(gets[t], get)
				}
			}
		}
	}
	var reports []*flow.Report
	for t, calls := range gets {
		if slices.ContainsFunc(fns, func(fn *ssa.Function) bool { return mayReset(fn, t) }) {
			continue
		}
		for _, get := range calls {
			reports = append(reports, &flow.Report{Code: flow.DirtyReuse, Why: flow.NeverReset, Pos: get.Pos(), Name: names.Of(get)})
		}
	}
	slices.SortFunc(reports, func(a, b *flow.Report) int { return int(a.Pos - b.Pos) })
	return reports
}

// callInstructions yields the calls in fn.
func callInstructions(fn *ssa.Function) func(func(ssa.CallInstruction) bool) {
	return func(yield func(ssa.CallInstruction) bool) {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if call, ok := instr.(ssa.CallInstruction); ok && !yield(call) {
					return
				}
			}
		}
	}
}

// decodedInto returns what the call decodes JSON into, nil if it does not.
func decodedInto(call ssa.CallInstruction) ssa.Value {
	f := call.Common().StaticCallee()
	if f == nil || len(call.Common().Args) < 2 {
		return nil
	}
	switch f.String() {
	case "encoding/json.Unmarshal", "(*encoding/json.Decoder).Decode":
		if mi, ok := call.Common().Args[1].(*ssa.MakeInterface); ok {
			return mi.X
		}
	}
	return nil
}

// gotten returns the call of a pool's Get that v comes from, and the struct that v points
// to.
func gotten(v ssa.Value) (*ssa.Call, *types.Named) {
	ta, ok := v.(*ssa.TypeAssert)
	if !ok || ta.CommaOk {
		return nil, nil
	}
	get, ok := ta.X.(*ssa.Call)
	if !ok || get.Call.StaticCallee() == nil || get.Call.StaticCallee().String() != "(*sync.Pool).Get" {
		return nil, nil
	}
	named := pointsTo(v.Type())
	if named == nil {
		return nil, nil
	}
	_, isStruct := named.Underlying().(*types.Struct)
	if !isStruct || !flow.HoldsBytes(named) {
		return nil, nil
	}
	return get, named
}

// pointsTo returns the named type that t points to, nil if there is none.
func pointsTo(t types.Type) *types.Named {
	p, ok := t.(*types.Pointer)
	if !ok {
		return nil
	}
	named, _ := types.Unalias(p.Elem()).(*types.Named)
	return named
}

// mayReset reports whether fn may empty a struct of type t: it writes to one that it has
// not made, or gives one to code other than the decoder and the pool.
func mayReset(fn *ssa.Function, t *types.Named) bool {
	isT := func(v ssa.Value) bool { return pointsTo(v.Type()) == t }
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.Store:
				if isT(i.Addr) || isT(i.Val) && !isVariable(i.Addr) {
					return true
				}
			case *ssa.FieldAddr:
				if _, made := i.X.(*ssa.Alloc); isT(i.X) && !made && !onlyLoaded(i) {
					return true
				}
			case *ssa.MakeInterface:
				if _, made := i.X.(*ssa.Alloc); isT(i.X) && !made && !onlyDecoded(i) {
					return true
				}
			case ssa.CallInstruction:
				if slices.ContainsFunc(i.Common().Args, isT) {
					return true
				}
			}
		}
	}
	return false
}

func isVariable(v ssa.Value) bool {
	_, ok := v.(*ssa.Alloc)
	return ok
}

// onlyLoaded reports whether the field at addr is only read.
func onlyLoaded(addr *ssa.FieldAddr) bool {
	return !slices.ContainsFunc(*addr.Referrers(), func(use ssa.Instruction) bool {
		switch use.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
			return false
		}
		return true
	})
}

// onlyDecoded reports whether the interface is only given to the decoder and the pool.
func onlyDecoded(mi *ssa.MakeInterface) bool {
	return !slices.ContainsFunc(*mi.Referrers(), func(use ssa.Instruction) bool {
		call, ok := use.(ssa.CallInstruction)
		if !ok {
			_, debug := use.(*ssa.DebugRef)
			return !debug
		}
		f := call.Common().StaticCallee()
		return decodedInto(call) != mi.X && (f == nil || f.String() != "(*sync.Pool).Put")
	})
}
