package flow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What a function has taken over, from wherever, is its own to release, if it releases it on some
// path, or others release what comes from there. A struct or list that it has been given comes with
// the memory in it: that is a message here, however it came.

// takeOver records that o, which the function has taken out of something, is the
// function's to release, if it releases it at all.
func (e *explorer) takeOver(s *state, o *object) {
	if o.typ == nil || o.depth() > 2 || o.acq != nil {
		return
	}
	if root := o.root().kind; o.kind != unknownObject && (o.kind != contentObject || root != inputObject && root != unknownObject) {
		return
	}
	_, isStruct := o.typ.Underlying().(*types.Struct)
	if st := s.status[o]; !isStruct && !e.comesBack(o.typ) && !carriesMemory(o.typ) || st.phase != live || st.shared() || st.owned {
		return
	}
	if x, ok := o.site.(*ssa.Extract); ok && !o.at.valid() {
		o.at = e.at(x.Tuple.(ssa.Instruction))
		if sel, ok := x.Tuple.(*ssa.Select); ok {
			o.at.pos = receives(sel)[x.Index-2].Pos
		}
	}
	if isStruct || !e.comesBack(o.typ) {
		e.takeMessage(s, o)
	}
	if !e.comesBack(o.typ) || s.endedInside(o) {
		return
	}
	o.taken = true
	s.update(o, func(st *status) { st.owned = true })
}

// takeOff takes o over, with the memory in it, from the channel, list or map source.
func (e *explorer) takeOff(s *state, o *object, source types.Object) {
	if o.typ != nil && types.IsInterface(o.typ) && !e.comesBack(o.typ) {
		e.removed[e.young(o)] = source
	}
	if e.takeOver(s, o); source == nil {
		return
	}
	o.source = source
	for _, x := range s.cameWith(o) {
		x.source = source
	}
}

// takeMessage records that o, a struct or a list that the function has been given, is its own, with
// the memory in it.
func (e *explorer) takeMessage(s *state, o *object) {
	o.message = true
	t := o.typ
	if elem := elemOfPointer(t); elem != nil {
		t = elem
	}
	e.takeFields(s, o, "", t)
}

// takeFields takes over what the fields of o have, below path, where o has a struct of type t.
func (e *explorer) takeFields(s *state, o *object, path string, t types.Type) {
	fields, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	other := false // whether there is memory other than bytes, which are then most likely a part of it
	for f := range fields.Fields() {
		other = other || !isBytes(f.Type()) && e.comesBack(f.Type())
	}
	for f := range fields.Fields() {
		inner := path + "." + f.Name()
		if _, isStruct := f.Type().Underlying().(*types.Struct); isStruct {
			e.takeFields(s, o, inner, f.Type())
		} else if e.comesBack(f.Type()) && !(other && isBytes(f.Type())) {
			e.takeOver(s, e.content(o, inner, f.Type()))
		}
	}
}

// carriesMemory reports whether t is a list, or points to a struct.
func carriesMemory(t types.Type) bool {
	elem := elemOfPointer(t)
	return isSlice(t) || elem != nil && isStruct(elem)
}

// endedInside reports whether something in o is not there any more.
func (s *state) endedInside(o *object) bool {
	for x, st := range s.status {
		if x.inside(o) && st.phase != live {
			return true
		}
	}
	return false
}

// inMessage reports whether o was found in a field of a message: it came with that.
func (o *object) inMessage() bool {
	return o.kind == contentObject && o.parent.message && o.parent.age == o.age && strings.HasPrefix(o.path, ".")
}

// cameWith returns the memory that came with the message m, and is known.
func (s *state) cameWith(m *object) []*object {
	var list []*object
	for _, o := range sortedObjects(s.status) {
		if o.inMessage() && o.parent == m {
			list = append(list, o)
		}
	}
	return list
}

// cameInstead records that a message has the error o: it came instead of memory.
func (s *state) cameInstead(o *object) {
	if !o.inMessage() || o.typ == nil || !isError(o.typ) {
		return
	}
	for _, part := range s.cameWith(o.parent) {
		s.update(part, func(st *status) { st.owned = false })
	}
}

// comesBack reports whether what is of type t may well be given back to something.
func (p *Package) comesBack(t types.Type) bool {
	if types.IsInterface(t) {
		return slices.ContainsFunc(methods(t), func(m types.Object) bool { return takesBackByName(m.Name()) })
	}
	elem := elemOfPointer(t)
	if elem == nil {
		return isBytes(t)
	}
	if named, ok := types.Unalias(elem).(*types.Named); ok {
		return p.putTypes[named.Obj()] && elem.String() != "sync.Pool"
	}
	return HoldsBytes(elem)
}

// owns reports whether t points to a struct with a method that gives back the memory in its fields.
func (p *Package) owns(t types.Type) bool {
	named, ok := types.Unalias(elemOfPointer(t)).(*types.Named)
	if !ok || named.Obj().Pkg() != p.types {
		return false
	}
	if known, ok := p.owners[named.Obj()]; ok {
		return known
	}
	p.owners[named.Obj()] = false // while it is looked at
	p.owners[named.Obj()] = slices.ContainsFunc(p.all, func(fn *ssa.Function) bool { return p.emptiesOwner(fn, t) })
	return p.owners[named.Obj()]
}

// emptiesOwner reports whether fn is a method of t that gives back what is in its fields, by its
// name and by what it does.
func (p *Package) emptiesOwner(fn *ssa.Function, t types.Type) bool {
	if fn.Signature.Recv() == nil || len(fn.Params) != 1 || !types.Identical(fn.Params[0].Type(), t) || verb(fn.Name(), giveBack) == "" {
		return false
	}
	sum := p.summary(fn)
	return sum != nil && sum.givesInside(0)
}
