package flow

import "golang.org/x/tools/go/ssa"

// A slice that the function makes owns the memory from a pool that the function puts into
// it: a loop that releases each element releases the slice, and a path that ends before that
// has lost what is in it. Where some elements go elsewhere, it is not known what is left.

// enlist records that the slice list gets what refs lead to.
func (e *explorer) enlist(s *state, list *object, refs []ref) {
	if list.typ == nil || list.kind != localObject && list.kind != unknownObject || !isSlice(list.typ) {
		return
	}
	for _, x := range refs {
		o := x.obj
		switch {
		case o.kind == localObject && !o.isList() && x.path == "":
			o = s.ownedInside(o)
		case inBox(o):
			o = o.parent
		}
		if o == nil {
			continue
		}
		st := s.status[o]
		if o.acq == nil || o.kind != pooledObject || x.path != "" || !st.owned || st.phase != live || st.shared() {
			continue
		}
		if list.acq == nil {
			list.kind, list.acq, list.at = localObject, o.acq, o.at
		}
		s.update(list, func(st *status) { st.owned = true })
	}
}

// ownedInside returns pooled memory in a field of the struct o that nothing else has, nil if there
// is none.
func (s *state) ownedInside(o *object) *object {
	for _, path := range s.cells(o) {
		for _, x := range s.mem[cell{o, path}].refs {
			x := x.obj
			if inBox(x) {
				x = x.parent
			}
			if st := s.status[x]; x.acq != nil && (x.kind == pooledObject || x.isList()) && st.owned && st.phase == live && !st.shared() {
				return x
			}
		}
	}
	return nil
}

// inherit makes list, the result of an append, the owner of what the slice before it owned.
func (e *explorer) inherit(s *state, list, before *object) {
	if before == nil || before == list || !before.isList() {
		return
	}
	list.kind, list.acq, list.at = localObject, before.acq, before.at
	st := s.status[before]
	st.owned, st.each, st.loop = st.owned && !st.each.valid(), nowhere, nil
	s.status[list] = st
	s.update(before, func(st *status) { st.owned = false })
}

// cannotBeEmpty reports whether the loop that begins with head ranges over a slice that owns
// elements, and has not begun to.
func (e *explorer) cannotBeEmpty(s *state, head *ssa.BasicBlock) bool {
	list, index := rangedOver(head)
	if list == nil {
		return false
	}
	o := e.value(s, list).identity()
	return o != nil && o.isList() && s.status[o].owned && !s.status[o].escaped &&
		s.knownOf(e.value(s, index)) == known{isConst, "0"}
}

// isList reports whether o is a slice that owns its elements.
func (o *object) isList() bool { return o.kind == localObject && o.acq != nil }

// unlist gives up the slices that may have what refs lead to.
func (e *explorer) unlist(s *state, refs []ref) {
	for _, x := range refs {
		if x.rel != holds && x.obj.list == nil {
			continue
		}
		for o, st := range s.status {
			if st.owned && !st.escaped && o.isList() {
				s.update(o, func(st *status) { st.share() })
			}
		}
		return
	}
}
