package counts

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// exec runs one instruction, and returns the states that it leads to.
func (r *runner) exec(s *state, instr ssa.Instruction) []*state {
	if x, ok := instr.(ssa.Value); ok {
		delete(s.facts, x)
	}
	switch i := instr.(type) {
	case *ssa.Phi, *ssa.DebugRef, *ssa.If, *ssa.Jump, *ssa.Return, *ssa.Panic:
	case *ssa.Alloc:
		r.allocate(s, i)
	case *ssa.MakeSlice:
		if r.isList(i.Type()) {
			s.registers[i] = value{thing: r.renew(s, i, 0, true, 0), known: nonNil}
		}
	case *ssa.Store:
		r.store(s, i)
	case *ssa.UnOp:
		r.load(s, i)
	case *ssa.Index:
		r.element(s, i, i.X)
	case *ssa.FieldAddr:
		// What an embedded struct counts is what the struct around it counts.
		if v := r.value(s, i.X); v.thing != nil && !v.thing.list && fieldOf(i).Embedded() {
			s.registers[i] = value{thing: v.thing, first: i}
		} else {
			s.registers[i] = value{first: i}
		}
	case *ssa.MakeInterface:
		s.registers[i] = r.value(s, i.X)
	case *ssa.ChangeInterface:
		s.registers[i] = r.value(s, i.X)
	case *ssa.ChangeType:
		s.registers[i] = r.value(s, i.X)
	case *ssa.Slice:
		s.registers[i] = r.value(s, i.X)
	case *ssa.TypeAssert:
		if !i.CommaOk {
			s.registers[i] = r.value(s, i.X)
		}
	case *ssa.Extract:
		r.extract(s, i)
	case *ssa.MakeClosure:
		s.registers[i] = value{literal: i, known: nonNil}
	case *ssa.MapUpdate:
		s.give(r.value(s, i.Value), i)
	case *ssa.Send:
		s.give(r.value(s, i.X), i)
	case *ssa.Select:
		for _, st := range i.States {
			if st.Dir == types.SendOnly {
				s.doubt(r.value(s, st.Send))
			}
		}
	case *ssa.Go:
		return r.spawn(s, i)
	case *ssa.Defer:
		d := deferral{i, r.value(s, i.Call.Value), r.arguments(s, &i.Call)}
		s.deferred = append(s.deferred, d)
	case *ssa.RunDefers:
		return r.runDefers(s)
	case *ssa.Call:
		return r.call(s, i, r.value(s, i.Call.Value), r.arguments(s, &i.Call))
	default:
		if x, ok := instr.(ssa.Value); ok {
			delete(s.registers, x)
		}
	}
	return []*state{s}
}

// renew returns the thing that an instruction makes anew. What it made before is lost, if the path
// owns it still.
func (r *runner) renew(s *state, site ssa.Value, index int, list bool, n int8) *thing {
	t := r.thing(site, index, list)
	instr, _ := site.(ssa.Instruction)
	if h := s.holdings[t]; h.n > 0 && !h.unsure && !r.held(s, t) {
		r.lose(t, h, instr)
	}
	h := holding{n: n}
	if n > 0 {
		h.by = instr
	}
	s.holdings[t] = h
	return t
}

// held reports whether something beside the registers of its round of a loop has t.
func (r *runner) held(s *state, t *thing) bool {
	for _, v := range s.locals {
		if v.thing == t {
			return true
		}
	}
	for x, v := range s.registers {
		if _, phi := x.(*ssa.Phi); phi && v.thing == t {
			return true
		}
	}
	has := func(v value) bool { return v.thing == t || v.literal != nil }
	return slices.ContainsFunc(s.deferred, func(d deferral) bool { return has(d.fun) || slices.ContainsFunc(d.args, has) })
}

func (r *runner) allocate(s *state, a *ssa.Alloc) {
	elem := a.Type().Underlying().(*types.Pointer).Elem()
	switch {
	case r.isList(elem) && isArray(elem):
		s.registers[a] = value{thing: r.renew(s, a, 0, true, 0), known: nonNil}
	case r.isCounted(a.Type()) && isNew(a):
		s.registers[a] = value{thing: r.renew(s, a, 0, false, 0), first: a, known: nonNil}
	default:
		s.registers[a] = value{local: a, known: nonNil}
		s.locals[a] = zero(elem)
	}
}

func isArray(t types.Type) bool {
	_, ok := t.Underlying().(*types.Array)
	return ok
}

// isNew reports whether a is made by new or a literal, and is no variable of the program.
func isNew(a *ssa.Alloc) bool { return a.Comment == "complit" || a.Comment == "new" }

// zero returns the zero value of t.
func zero(t types.Type) value {
	switch u := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Interface, *types.Signature:
		return value{known: isNil}
	case *types.Basic:
		if u.Kind() == types.Bool {
			return value{known: isFalse}
		}
	}
	return value{}
}

// countsItself runs instr if that changes the number in a field that counts references. It reports
// whether it does.
func (r *runner) countsItself(s *state, instr ssa.Instruction) bool {
	field, of, n := counting(instr)
	if field == nil || !r.counters[field] {
		return false
	}
	v := r.value(s, of)
	s.add(v, int8(max(min(n, 2), -2)), instr)
	if n < 0 && v.thing != nil {
		s.update(v.thing, func(h *holding) { h.released = instr })
	}
	return true
}

func (r *runner) store(s *state, st *ssa.Store) {
	v := r.value(s, st.Val)
	if r.countsItself(s, st) {
		return
	}
	if addr, ok := st.Addr.(*ssa.IndexAddr); ok {
		if list := r.value(s, addr.X); list.thing != nil && list.thing.list {
			s.enlist(list.thing, v, st)
			return
		}
	}
	if to := r.value(s, st.Addr); to.local != nil {
		s.locals[to.local] = v
		return
	}
	s.give(v, st)
}

func (r *runner) load(s *state, u *ssa.UnOp) {
	delete(s.registers, u)
	if u.Op != token.MUL {
		return
	}
	if addr, ok := u.X.(*ssa.IndexAddr); ok {
		r.element(s, u, addr.X)
		return
	}
	from := r.value(s, u.X)
	if from.thing != nil && !from.thing.list {
		s.doubt(from) // a copy has what it counts
	}
	if from.local != nil {
		v := s.locals[from.local]
		if v.first == nil && v.known == anything {
			v.first = u
			s.locals[from.local] = v
		}
		s.registers[u] = v
	}
}

// element brings an element of list into the register x.
func (r *runner) element(s *state, x ssa.Value, list ssa.Value) {
	delete(s.registers, x)
	if v := r.value(s, list); v.thing != nil && v.thing.list && r.isCounted(x.Type()) {
		s.registers[x] = value{thing: v.thing, element: true, first: x}
	}
}

func (r *runner) extract(s *state, x *ssa.Extract) {
	delete(s.registers, x)
	switch tuple := x.Tuple.(type) {
	case *ssa.TypeAssert:
		if x.Index == 0 {
			s.registers[x] = r.value(s, tuple.X)
		}
	case *ssa.Call:
		if vs := s.results[tuple]; x.Index < len(vs) {
			v := vs[x.Index]
			if v.first == nil {
				v.first = x
			}
			s.registers[x] = v
		}
	}
}
