package flow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// What a function reads in a field, or in a list there, that it empties is the function's own from
// then on: nobody else finds it there.

// emptied returns instr if that empties a field, or an element of a list, nil if it does not.
func emptied(instr ssa.Instruction) *ssa.Store {
	st, ok := instr.(*ssa.Store)
	if !ok || !isEmpty(st.Val) && !isCutToNothing(st.Val) {
		return nil
	}
	switch st.Addr.(type) {
	case *ssa.FieldAddr, *ssa.IndexAddr:
		return st
	}
	return nil
}

// samePlace reports whether a and b are the address of one field, or of one element.
func samePlace(a, b ssa.Value) bool {
	if a == b {
		return true
	}
	switch a := a.(type) {
	case *ssa.FieldAddr:
		b, ok := b.(*ssa.FieldAddr)
		return ok && fieldOf(a) == fieldOf(b) && sameBase(a.X, b.X)
	case *ssa.IndexAddr:
		b, ok := b.(*ssa.IndexAddr)
		return ok && sameNumber(a.Index, b.Index) && (sameBase(a.X, b.X) || samePlace(a.X, b.X))
	}
	return false
}

// sameBase reports whether a and b are one value, or were read from one place.
func sameBase(a, b ssa.Value) bool {
	return a == b || loaded(a) != nil && loaded(b) != nil && samePlace(loaded(a), loaded(b))
}

// sameNumber reports whether a and b are computed in the same way.
func sameNumber(a, b ssa.Value) bool {
	if sameBase(a, b) {
		return true
	}
	switch a := a.(type) {
	case *ssa.Const:
		b, ok := b.(*ssa.Const)
		return ok && a.Value != nil && b.Value != nil && constant.Compare(a.Value, token.EQL, b.Value)
	case *ssa.BinOp:
		b, ok := b.(*ssa.BinOp)
		return ok && a.Op == b.Op && sameNumber(a.X, b.X) && sameNumber(a.Y, b.Y)
	case *ssa.Convert:
		b, ok := b.(*ssa.Convert)
		return ok && sameNumber(a.X, b.X)
	}
	return false
}

// takenOut returns the field that the load takes what it reads out of, at by or before, nil if it
// takes it out of none: the function empties the place, or the list that it loops over, in front of
// by, or behind it on every path.
func (p *Package) takenOut(load *ssa.UnOp, by ssa.Instruction) types.Object {
	fn := load.Parent()
	places := []ssa.Value{load.X}
	if addr, ok := load.X.(*ssa.IndexAddr); ok {
		if head, list := rangeLoop(addr); head != nil && loaded(list) != nil && !rangesAgain(head, list) {
			places = append(places, loaded(list))
		}
	}
	source := addressed(places[len(places)-1])
	if f, ok := source.(*types.Var); !ok || !f.IsField() {
		return nil
	}
	for instr := range instructions(fn) {
		st := emptied(instr)
		if st == nil || !slices.ContainsFunc(places, func(place ssa.Value) bool {
			return samePlace(st.Addr, place) && (place != load.X || isEmpty(st.Val)) // an empty slice still has its memory
		}) {
			continue
		}
		if st.Block() == by.Block() || dominates(st, by) || p.shape(fn).meets(by.Block(), st.Block()) {
			return source
		}
	}
	return nil
}

// rangesAgain reports whether another loop over the same list comes behind the one that begins with
// head.
func rangesAgain(head *ssa.BasicBlock, list ssa.Value) bool {
	return does(head.Parent(), func(instr ssa.Instruction) bool {
		addr, ok := instr.(*ssa.IndexAddr)
		if !ok {
			return false
		}
		other, again := rangeLoop(addr)
		return other != nil && other != head && sameBase(list, again) && reaches(head, other)
	})
}

// takeEmptied records that the function has taken over what it has read from the place that st
// empties.
func (e *explorer) takeEmptied(s *state, st *ssa.Store) {
	if !isEmpty(st.Val) || takesBackByName(st.Parent().Name()) {
		return
	}
	f, ok := addressed(st.Addr).(*types.Var)
	if !ok || !f.IsField() {
		return
	}
	for _, load := range loadsOf(st) {
		if givenBackByName(load, st) {
			return
		}
		if held, ok := s.env[load]; ok && held.identity() != nil {
			e.takeFrom(s, held.identity(), f, load)
		}
	}
}

// loadsOf returns the loads of the place that st stores to, in front of it.
func loadsOf(st *ssa.Store) []*ssa.UnOp {
	var loads []*ssa.UnOp
	for instr := range instructions(st.Parent()) {
		if load, ok := instr.(*ssa.UnOp); ok && load.Op == token.MUL && samePlace(load.X, st.Addr) && dominates(load, st) {
			loads = append(loads, load)
		}
	}
	return loads
}

// givenBackByName reports whether v is, in front of instr, an argument of a function that takes it
// back, or ends it, by its name.
func givenBackByName(v ssa.Value, instr ssa.Instruction) bool {
	return slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		c, ok := use.(ssa.CallInstruction)
		return ok && dominates(c, instr) && (isEnd(calleeName(c)) || takesBackByName(calleeName(c)))
	})
}

// takeFrom records that the function has taken o, which load has read, out of the field f.
func (e *explorer) takeFrom(s *state, o *object, f types.Object, load *ssa.UnOp) {
	if o.parent != nil && o.parent.taken {
		s.update(o.parent, (*status).share) // it is taken apart
	}
	if e.takeOver(s, o); !o.taken {
		return
	}
	o.source = f
	if !o.at.valid() || o.at.instr == nil {
		o.at = e.at(load)
	}
}

// takeStruct returns what the load i of a struct has read, v, as an object of its own with what is in
// it, if the function takes it out of a field.
func (e *explorer) takeStruct(s *state, i *ssa.UnOp, v value) value {
	if !isStruct(i.Type()) || len(v.refs)+len(v.sub) > 0 || !e.mayComeBack(i.Type()) {
		return v
	}
	f := e.takenOut(i, i)
	if f == nil {
		return v
	}
	o := e.site(i)
	e.takeOff(s, o, f)
	return to(o)
}
