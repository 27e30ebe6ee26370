package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An element belongs to whoever takes it off a list: the first or last of one in a field, which
// is cut; those that a loop finds in a list that a function such as pop or receive returns; and
// those of a list that came out of a channel with its struct.

// takesOut are words of the names of functions that remove what they return from somewhere.
var takesOut = []string{
	"pop", "take", "drain", "read", "receive", "recv", "dequeue", "poll", "fetch", "steal", "detach", "next", "collect", "pull",
}

// takeElement records that the function has taken the element v, which i loads, out of
// something, if i is in a loop over a list that a call has removed from there.
func (e *explorer) takeElement(s *state, i *ssa.UnOp, v value) {
	addr, ok := i.X.(*ssa.IndexAddr)
	if !ok || v.identity() == nil {
		return
	}
	head, _ := rangeLoop(addr)
	list := addr.X
	if x, ok := list.(*ssa.Extract); ok && x.Index == 0 {
		list = x.Tuple
	}
	call, ok := list.(*ssa.Call)
	owner := e.value(s, addr.X).identity()
	switch {
	case head == nil:
	case owner != nil && owner.isList(): // what is in there has been seen
	case ok && takesOutByName(calleeName(call)):
		if o := v.identity(); !o.at.valid() {
			o.at = e.at(call)
		}
		e.takeOver(s, v.identity())
	default:
		if f := e.takenOut(i, i); f != nil {
			e.takeFrom(s, v.identity(), f, i)
		} else if owner != nil && (owner.inMessage() || owner.message) {
			if x := v.identity(); !x.at.valid() {
				if x.at = owner.at; x.at.instr == nil {
					x.at = e.at(i)
				}
			}
			e.takeOver(s, v.identity())
		}
	}
}

// takesOutByName reports whether a function called name removes what it returns from somewhere.
func takesOutByName(name string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(takesOut, w) })
}

// cutOff returns the field that instr cuts the first or last element off of, and whether it is
// the first; nil if it does something else.
func cutOff(instr ssa.Instruction) (field types.Object, first bool) {
	st, ok := instr.(*ssa.Store)
	if !ok {
		return nil, false
	}
	cut, ok := st.Val.(*ssa.Slice)
	if !ok {
		return nil, false
	}
	f, ok := addressed(st.Addr).(*types.Var)
	if !ok || !f.IsField() || placeOf(cut.X) != f || !isSlice(cut.X.Type()) {
		return nil, false
	}
	if cut.High == nil && isNumber(cut.Low, 1) {
		return f, true
	}
	if last, ok := cut.High.(*ssa.BinOp); ok && cut.Low == nil && last.Op == token.SUB && isNumber(last.Y, 1) {
		return f, false
	}
	return nil, false
}

// popped returns the field that st takes an element off of, and the loads of that element before
// it. Of lists that are cut together, as one is by the lengths of another, nothing is said.
func popped(st *ssa.Store) (field types.Object, loads []*ssa.UnOp) {
	f, first := cutOff(st)
	if f == nil || slices.ContainsFunc(st.Block().Instrs, func(instr ssa.Instruction) bool {
		other, _ := cutOff(instr)
		return other != nil && other != f
	}) {
		return nil, nil
	}
	for _, b := range st.Parent().Blocks {
		for _, instr := range b.Instrs {
			load, ok := instr.(*ssa.UnOp)
			if !ok || load.Op != token.MUL {
				continue
			}
			addr, ok := load.X.(*ssa.IndexAddr)
			if ok && placeOf(addr.X) == f && (isNumber(addr.Index, 0) == first) && dominates(load, st) {
				loads = append(loads, load)
			}
		}
	}
	return f, loads
}

// pop records that st has taken an element off a list.
func (e *explorer) pop(s *state, st *ssa.Store) {
	f, loads := popped(st)
	for _, load := range loads {
		o := e.value(s, load).identity()
		if o == nil {
			continue
		}
		if e.takeOver(s, o); o.taken {
			o.source = f
			if !o.at.valid() {
				o.at = e.at(st)
			}
		}
	}
}

// pops reports whether fn takes elements off a list, or out of a field, that may have to be given
// back.
func (p *Package) pops(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
			st, ok := instr.(*ssa.Store)
			if !ok {
				return false
			}
			_, loads := popped(st)
			if slices.ContainsFunc(loads, func(load *ssa.UnOp) bool { return p.comesBack(load.Type()) }) {
				return true
			}
			// Bytes in a field are most often the struct's own.
			return isEmpty(st.Val) && !isBytes(st.Val.Type()) && p.mayComeBack(st.Val.Type()) && len(loadsOf(st)) > 0
		})
	})
}
