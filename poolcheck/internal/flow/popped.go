package flow

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An element belongs to whoever takes it off a list: the first or last of one in a field, which
// is cut; those that a loop finds in a list that a function such as pop or receive returns; and
// those of a list that came out of a channel with its struct.

// emptied returns the field or list that instr empties: where the loads of a place read what
// was there before, they take it out of there.
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
	switch {
	case head == nil:
	case ok && takesOutByName(calleeName(call)):
		if o := v.identity(); !o.at.valid() {
			o.at = e.at(call)
		}
		e.takeOver(s, v.identity())
	default:
		if f := e.takenOut(i, i); f != nil {
			e.takeFrom(s, v.identity(), f, i)
		} else if o := e.value(s, addr.X).identity(); o != nil && (o.inMessage() || o.message) {
			if x := v.identity(); !x.at.valid() {
				if x.at = o.at; x.at.instr == nil {
					x.at = e.at(i)
				}
			}
			e.takeOver(s, v.identity())
		}
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
