package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// What comes out of a channel, or out of a map from which it is deleted, belongs to whoever took
// it, and so do elements of lists (popped.go). That it is to be released shows where some path of
// the function releases it, or what another function has taken off the same list.

// takesForCallers reports whether fn returns what it takes out of a channel, which its
// callers may have to give back.
func (p *Package) takesForCallers(fn *ssa.Function) bool {
	return does(fn, func(instr ssa.Instruction) bool {
		switch i := instr.(type) {
		case *ssa.UnOp:
			tuple, several := i.Type().(*types.Tuple)
			if !several {
				tuple = types.NewTuple(types.NewVar(token.NoPos, nil, "", i.Type()))
			}
			return i.Op == token.ARROW && p.returnsTaken(fn, tuple)
		case *ssa.Select:
			return p.returnsTaken(fn, i.Type().(*types.Tuple))
		}
		return false
	})
}

// returnsTaken reports whether fn returns something of the type of one of list that may
// well be given back.
func (p *Package) returnsTaken(fn *ssa.Function, list *types.Tuple) bool {
	for v := range list.Variables() {
		for r := range fn.Signature.Results().Variables() {
			if types.Identical(r.Type(), v.Type()) && p.comesBack(v.Type()) {
				return true
			}
		}
	}
	return false
}

// isReceived reports whether x is a value that came out of a channel.
func isReceived(x *ssa.Extract) bool {
	switch t := x.Tuple.(type) {
	case *ssa.UnOp:
		return t.Op == token.ARROW && x.Index == 0
	case *ssa.Select:
		return x.Index > 1
	}
	return false
}

// channelOf returns the field or variable of the channel that x came out of, nil if it is not
// known.
func channelOf(x *ssa.Extract) types.Object {
	switch t := x.Tuple.(type) {
	case *ssa.UnOp:
		return placeOf(t.X)
	case *ssa.Select:
		return placeOf(receives(t)[x.Index-2].Chan)
	}
	return nil
}

// receives returns the cases of sel that receive.
func receives(sel *ssa.Select) []*ssa.SelectState {
	return slices.DeleteFunc(slices.Clone(sel.States), func(st *ssa.SelectState) bool { return st.Dir == types.SendOnly })
}

// tookNothing records that the tuple whose ok is false has no value.
func (e *explorer) tookNothing(s *state, ok *ssa.Extract) {
	for _, use := range *ok.Tuple.Referrers() {
		x, extract := use.(*ssa.Extract)
		if !extract || x == ok {
			continue
		}
		if o := e.value(s, x).identity(); o != nil && o.kind == unknownObject {
			s.known[o] = knownNil
			for _, part := range s.cameWith(o) {
				s.known[part] = knownNil
			}
		}
	}
}

// isTaken reports whether ok tells whether there was a value in a channel or map.
func isTaken(ok *ssa.Extract) bool {
	switch t := ok.Tuple.(type) {
	case *ssa.UnOp:
		return t.Op == token.ARROW && ok.Index == 1
	case *ssa.Lookup, *ssa.Select:
		return ok.Index == 1
	}
	return false
}

// isRemoved reports whether ok tells whether what was removed from somewhere is of a type.
func (e *explorer) isRemoved(s *state, ok *ssa.Extract) bool {
	assert, is := ok.Tuple.(*ssa.TypeAssert)
	if !is || ok.Index != 1 {
		return false
	}
	o := e.value(s, assert.X).identity()
	if o == nil {
		return false
	}
	_, removed := e.removed[e.young(o)]
	return removed
}

// takeOut records that what the function has looked up in a map is no longer there: the
// call c deletes its key.
func (e *explorer) takeOut(s *state, c *call) {
	fn := c.instr.Parent()
	m, key := placeOf(c.common.Args[0]), c.common.Args[1]
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			l, ok := instr.(*ssa.Lookup)
			if !ok || l.Index != key || l.X != c.common.Args[0] && (m == nil || placeOf(l.X) != m) || !dominates(l, c.instr) {
				continue
			}
			var v ssa.Value = l
			if l.CommaOk {
				k := slices.IndexFunc(*l.Referrers(), func(use ssa.Instruction) bool {
					x, ok := use.(*ssa.Extract)
					return ok && x.Index == 0
				})
				if k < 0 {
					continue
				}
				v = (*l.Referrers())[k].(*ssa.Extract)
			}
			// What nothing reads any more has had its end already.
			if held, ok := s.env[v]; ok && held.identity() != nil {
				e.takeOff(s, held.identity(), m)
			}
		}
	}
}
