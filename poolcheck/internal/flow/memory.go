package flow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// content returns the object that stands for what the cell of o at path held
// when the function began.
func (e *explorer) content(o *object, path string, t types.Type) *object {
	return e.intern(objectKey{parent: o, path: path, age: o.age}, func(x *object) {
		x.kind, x.at, x.typ = contentObject, o.at, t
	})
}

// depth counts the cells between o and its root.
func (o *object) depth() int {
	n := 0
	for ; o.parent != nil; o = o.parent {
		n++
	}
	return n
}

// load returns what the cells that addr points to hold. r is the register that
// the load sets.
func (e *explorer) load(s *state, addr value, r ssa.Value) value {
	t := r.Type()
	if !carries(t) && !isScalar(t) {
		return to(e.site(r))
	}
	var out value
	for i, x := range addr.refs {
		if x.rel >= view {
			// An element of something that shows pooled memory shows it, too.
			if carries(t) {
				x.at = nowhere // one of the elements: which is not known
				out = out.join([]ref{x})
			}
			continue
		}
		v, released := value{}, false
		if strings.HasPrefix(x.path, "[") && !x.cut && carries(t) {
			v, released = e.element(s, x.obj, r)
		}
		if !released {
			v = e.loadCell(s, cell{x.obj, x.path}, t, r)
		}
		if x.old {
			v = value{known: v.known, refs: markOld(v.refs)}
		}
		if i == 0 && len(addr.refs) == 1 {
			return v
		}
		out = out.join(v.all())
	}
	if len(out.refs) == 0 {
		return to(e.site(r))
	}
	return out
}

// copiedOut records that i stores the struct that addr points to elsewhere, as a whole. If
// it is pooled memory, all that it held is there now, and what is left is an empty box.
func (e *explorer) copiedOut(s *state, addr value, i *ssa.UnOp) {
	o := addr.identity()
	if _, isStruct := i.Type().Underlying().(*types.Struct); !isStruct || o == nil || o.acq == nil {
		return
	}
	for _, use := range *i.Referrers() {
		if st, ok := use.(*ssa.Store); ok && st.Val == i {
			if a, variable := st.Addr.(*ssa.Alloc); !variable || a.Heap {
				s.handOver(o)
			}
		}
	}
}

func markOld(refs []ref) []ref {
	out := make([]ref, len(refs))
	for i, x := range refs {
		x.old = true
		out[i] = x
	}
	return out
}

func (e *explorer) loadCell(s *state, c cell, t types.Type, r ssa.Value) value {
	if st, ok := t.Underlying().(*types.Struct); ok {
		sub := make(map[string]value)
		for i := range st.NumFields() {
			f := st.Field(i)
			if !carries(f.Type()) && !isScalar(f.Type()) {
				continue
			}
			inner := cell{c.obj, c.path + "." + f.Name()}
			_, isStruct := f.Type().Underlying().(*types.Struct)
			if v, ok := s.mem[inner]; ok && !v.stale && len(v.sub) == 0 {
				sub["."+f.Name()] = v
			} else if isStruct && s.hasBelow(inner) {
				sub["."+f.Name()] = e.loadCell(s, inner, f.Type(), r)
			} else if !ok && c.obj.kind == pooledObject {
				sub["."+f.Name()] = e.loadCell(s, inner, f.Type(), r)
			}
		}
		v := s.mem[c]
		v.sub = sub
		if v.stale {
			v = value{sub: sub}
		}
		return v
	}
	if _, ok := t.Underlying().(*types.Array); ok {
		return e.elements(s, cell{c.obj, c.path + "["}, r)
	}
	v, ok := s.mem[c]
	if ok && !v.stale && !strings.Contains(c.path, "[]") {
		return v
	}
	if held, ok := s.mem[cell{c.obj, "held"}]; ok && !held.stale && carries(t) {
		return to(e.site(r)).join(held.refs)
	}
	// A part of something that has none, such as the pointer inside of an interface.
	if whole, ok := s.mem[cell{c.obj, ""}]; ok && !whole.stale && c.path != "" && carries(t) {
		if elem := elemOfPointer(c.obj.typ); elem != nil && types.IsInterface(elem) {
			return value{refs: whole.refs}
		}
	}
	// An array that is read at an unknown index shows every element.
	if i := strings.Index(c.path, "[]"); i >= 0 {
		return e.elements(s, cell{c.obj, c.path[:i+1]}, r)
	}
	if o, path := s.copiedFrom(c); !ok && o != nil {
		return to(e.content(o, path, t))
	}
	if !ok && c.obj.kind == localObject && !s.mem[cell{c.obj, "*"}].stale {
		if _, isAlloc := c.obj.site.(*ssa.Alloc); isAlloc && !strings.Contains(c.path, "[") && !e.parentStored(s, c) {
			return value{known: zero(t)}
		}
	}
	if ok && v.stale || s.mem[cell{c.obj, "*"}].stale && !e.stable(c.obj, c.path) || c.obj.depth() > 3 {
		v = to(e.site(r))
	} else {
		v = to(e.content(c.obj, c.path, t))
	}
	s.mem[c] = v
	return v
}

// hasBelow reports whether something is known of a cell inside of the struct in c.
func (s *state) hasBelow(c cell) bool {
	for inner := range s.mem {
		if inner.obj == c.obj && len(inner.path) > len(c.path) && strings.HasPrefix(inner.path, c.path) && inner.path[len(c.path)] == '.' {
			return true
		}
	}
	return false
}

// elements returns what shows every element in the cells that begin with c.
func (e *explorer) elements(s *state, c cell, r ssa.Value) value {
	var all value
	for _, p := range s.cells(c.obj) {
		if strings.HasPrefix(p, c.path) {
			all = all.join(s.mem[cell{c.obj, p}].weaken(holds, nowhere))
		}
	}
	if len(all.refs) > 0 {
		return all
	}
	o := e.site(r)
	o.list = c.obj
	return to(o)
}

// copiedFrom returns the parameter or message, a struct, that was stored as one around the
// cell c, and which cell of it c is.
func (s *state) copiedFrom(c cell) (*object, string) {
	for i := strings.LastIndexByte(c.path, '.'); i >= 0; i = strings.LastIndexByte(c.path[:i], '.') {
		v, ok := s.mem[cell{c.obj, c.path[:i]}]
		if !ok {
			continue
		}
		if o := v.identity(); o != nil && !v.stale {
			if _, parameter := o.site.(*ssa.Parameter); parameter || o.message {
				return o, c.path[i:]
			}
		}
		break
	}
	return nil, ""
}

// parentStored reports whether a cell around c was stored as one.
func (e *explorer) parentStored(s *state, c cell) bool {
	for p := c.path; p != ""; {
		p = p[:max(strings.LastIndexByte(p, '.'), 0)]
		if _, ok := s.mem[cell{c.obj, p}]; ok {
			return true
		}
	}
	return false
}

func zero(t types.Type) known {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return knownFalse
		case u.Info()&types.IsInteger != 0:
			return known{isConst, "0"}
		case u.Info()&types.IsString != 0:
			return known{isConst, `""`}
		}
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Interface, *types.Signature:
		return knownNil
	}
	return known{}
}

// store writes v to the cells that addr points to.
func (e *explorer) store(s *state, addr, v value, at place) {
	strong := len(addr.refs) == 1
	if len(addr.refs) == 0 {
		e.escape(s, v, escape{at: at})
		return
	}
	for _, x := range addr.refs {
		if x.rel >= view {
			if !v.isWithin(addr) {
				e.escape(s, v, escape{at: at, into: x.obj})
			}
			continue
		}
		c := cell{x.obj, x.path}
		if strings.HasPrefix(x.path, "[") && s.knownOf(v).kind != isNil {
			e.elementStores[x.obj] = append(e.elementStores[x.obj], at.instr.Block())
			s.update(x.obj, func(st *status) { st.each = nowhere })
		}
		indexed := strings.Contains(x.path, "[]")
		if indexed || !strong {
			s.mem[c] = dropStale(s.mem[c]).join(v.weaken(holds, at))
			if x.path == "[]" {
				e.enlist(s, x.obj, v.refs)
			}
			e.escape(s, v, escape{at: at, into: s.home(x.obj)})
			continue
		}
		for p := range s.mem {
			if p.obj == c.obj && p.path != "*" && strings.HasPrefix(p.path, c.path) && p.path != c.path &&
				strings.ContainsAny(p.path[len(c.path):len(c.path)+1], ".[") {
				e.dropped(s, p)
				delete(s.mem, p)
			}
		}
		if c.path != "" {
			s.detach(c)
		}
		if s.knownOf(v).kind == isNil {
			e.dropped(s, c)
		}
		e.intoField(s, c, v, at)
		if o := v.identity(); c.path == "" && c.obj.acq != nil && o != nil && o.kind == localObject && o.parent == nil {
			// A box that did not have enough: what it has now is the program's own.
			s.update(c.obj, func(st *status) { st.judged, st.setting, st.judge = true, false, nil })
		}
		s.mem[c] = v
		if o := v.identity(); o != nil && o.acq != nil {
			if name := c.obj.name(e.in); name != "" {
				o.call(e.in, name+strings.TrimSuffix(c.path, "[]"))
			}
		}
		if strings.Contains(c.path, "[") {
			for _, r := range v.refs {
				s.update(r.obj, func(st *status) { st.grouped = true })
			}
		}
		s.storeParts(c, v)
		s.stored[c] = true
		if _, variable := x.obj.site.(*ssa.FreeVar); variable && x.path == "" {
			// A variable of the function around this one: who reads it is not known.
			e.surrender(s, v, nil)
		} else if _, variable := x.obj.site.(*ssa.Alloc); variable && x.path == "" && s.status[x.obj].shared() {
			// A variable that a literal elsewhere shares: that it holds the
			// memory is no escape, but others may release it.
			e.eachReached(s, v, func(r ref) {
				if r.obj.kind != globalObject {
					s.update(r.obj, (*status).share)
				}
			})
		} else if number := storesNumber(at.instr); !number && (x.obj.kind != localObject || s.status[x.obj].shared()) {
			e.escape(s, v, escape{at: at, cell: c, into: x.obj})
		}
	}
}

// home returns the pooled memory that leads to o, such as a list that has grown, if nothing else
// does that outlives the function, and o itself otherwise.
func (s *state) home(o *object) *object {
	home := o
	for c, v := range s.mem {
		switch {
		case o.kind != unknownObject || !v.leadsTo(o) || c.obj.kind == localObject:
		case c.obj.root().acq == nil:
			return o
		case home == o || c.obj.id < home.id:
			home = c.obj
		}
	}
	return home
}

// storesNumber reports whether instr stores what shows no memory, such as a number that was found
// in a struct.
func storesNumber(instr ssa.Instruction) bool {
	st, ok := instr.(*ssa.Store)
	return ok && !carries(st.Val.Type())
}

// isWithin reports whether v was found in something that addr may point into: it goes back to
// where it came from.
func (v value) isWithin(addr value) bool {
	o := v.identity()
	if o == nil && len(v.refs) == 1 {
		o = v.refs[0].obj
	}
	return o != nil && slices.ContainsFunc(addr.refs, func(x ref) bool { return o != x.obj && o.inside(x.obj) })
}

// storeParts writes the fields of the struct v to those of the struct in c.
func (s *state) storeParts(c cell, v value) {
	for k, sub := range v.sub {
		inner := cell{c.obj, c.path + k}
		s.mem[inner] = sub
		s.stored[inner] = true
		s.storeParts(inner, sub)
	}
}

// dropped records that the cell c no longer holds what it does. If pooled memory could be
// reached from nowhere else outside of the function, it is the function's again.
func (e *explorer) dropped(s *state, c cell) {
	o := s.mem[c].identity()
	if o == nil || o.acq == nil {
		return
	}
	if st := s.status[o]; st.phase == live && st.owned && st.parked && st.escapes[len(st.escapes)-1].cell == c {
		s.update(o, func(st *status) { st.escaped, st.parked, st.escapes = false, false, nil })
	}
}

func dropStale(v value) value {
	if v.stale {
		return value{}
	}
	return v
}

// covers reports whether x is a later store to the place of y.
func (x escape) covers(y escape) bool { return x.cell.obj != nil && x.cell == y.cell }
