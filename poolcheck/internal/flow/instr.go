package flow

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// step runs one instruction that neither branches nor returns. Most leave one
// state; a call may leave one for each outcome, or none.
func (e *explorer) step(sh *shape, s *state, instr ssa.Instruction) []*state {
	one := func() []*state { return []*state{s} }
	set := func(r ssa.Value, v value) []*state {
		s.env[r] = v
		return one()
	}
	switch i := instr.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice:
		r := i.(ssa.Value)
		o := e.fresh(sh, s, r, "")
		if o.kind == localObject {
			// What an earlier round left in a variable of this round is gone.
			for _, p := range s.cells(o) {
				delete(s.mem, cell{o, p})
			}
		}
		return set(r, to(o))

	case *ssa.MakeClosure:
		o := e.fresh(sh, s, i, "")
		for k, b := range i.Bindings {
			s.mem[cell{o, fmt.Sprintf("#%d", k)}] = e.value(s, b)
		}
		return set(i, to(o))

	case *ssa.FieldAddr:
		st := i.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		return set(i, e.inside(s, i.X, "."+st.Field(i.Field).Name()))

	case *ssa.IndexAddr:
		path := "[]"
		if k, ok := i.Index.(*ssa.Const); ok {
			numbered := fmt.Sprintf("[%d]", k.Int64())
			if a, ok := i.X.(*ssa.Alloc); ok && !e.indexed(a) || s.hasElement(e.value(s, i.X), numbered) {
				path = numbered
			}
		}
		return set(i, e.inside(s, i.X, path))

	case *ssa.Index:
		e.touchText(s, i.X, e.at(i))
		o := e.fresh(sh, s, i, "")
		if v := e.value(s, i.X); carries(i.Type()) && len(v.refs) > 0 && v.refs[0].rel == holds {
			return set(i, value{refs: v.refs})
		}
		return set(i, to(o))

	case *ssa.Field:
		v := e.value(s, i.X)
		name := "." + i.X.Type().Underlying().(*types.Struct).Field(i.Field).Name()
		if sub, ok := v.sub[name]; ok {
			return set(i, sub)
		}
		if !carries(i.Type()) {
			return set(i, to(e.fresh(sh, s, i, "")))
		}
		o := v.identity()
		if _, parameter := i.X.(*ssa.Parameter); o != nil && (parameter || o.message) {
			return set(i, to(e.content(o, name, i.Type())))
		}
		return set(i, to(e.fresh(sh, s, i, "")).join(v.weaken(view, nowhere)))

	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			addr := e.value(s, i.X)
			e.touchCell(s, addr, i.Type(), e.at(i))
			e.readElement(s, i)
			e.fresh(sh, s, i, "")
			e.copiedOut(s, addr, i)
			if e.sentinel(i) != nil {
				return set(i, value{known: knownNonNil})
			}
			v := e.load(s, addr, i)
			e.takeElement(s, i, v)
			return set(i, e.takeStruct(s, i, v))
		case token.ARROW:
			e.fresh(sh, s, i, "")
			e.receive(s, i.X, sh.loops[i.Block().Index])
			delete(s.env, i)
			if !i.CommaOk && !unused(i) {
				e.takeOff(s, e.site(i), placeOf(i.X))
			}
			return one()
		}
		e.fresh(sh, s, i, "")
		delete(s.env, i)
		return one()

	case *ssa.Store:
		addr := e.value(s, i.Addr)
		e.touchCell(s, addr, i.Val.Type(), e.at(i))
		e.overwritten(s, addr, i)
		if fromHeader(i.Addr) {
			e.surrender(s, e.value(s, i.Val), nil) // nobody knows where to
			return one()
		}
		e.pop(s, i)
		e.takeEmptied(s, i)
		e.store(s, addr, e.value(s, i.Val), e.at(i))
		return one()

	case *ssa.MapUpdate:
		m := e.value(s, i.Map)
		e.touchText(s, i.Key, e.at(i))
		for _, v := range []value{e.value(s, i.Value), e.value(s, i.Key)} {
			into := escape{at: e.at(i)}
			if o := m.identity(); o != nil {
				into.into = o
				if o.kind == localObject {
					c := cell{o, "[]"}
					s.mem[c] = dropStale(s.mem[c]).join(v.weaken(holds, e.at(i)))
				}
			}
			if carries(i.Value.Type()) || carries(i.Key.Type()) {
				e.escape(s, v, into)
			}
		}
		return one()

	case *ssa.Lookup:
		e.touchText(s, i.Index, e.at(i))
		m := e.value(s, i.X)
		e.touchText(s, i.X, e.at(i))
		o := e.fresh(sh, s, i, "")
		v := to(o)
		if carries(i.Type()) && m.identity() != nil && m.identity().kind == localObject {
			v = v.join(s.mem[cell{m.identity(), "[]"}].weaken(holds, nowhere))
		}
		return set(i, v)

	case *ssa.Slice:
		return set(i, e.slice(sh, s, i))

	case *ssa.Convert:
		v := e.value(s, i.X)
		if text, from := isText(i.Type()), isText(i.X.Type()); text && from &&
			isBytes(i.Type()) != isBytes(i.X.Type()) {
			e.touch(s, v, e.at(i))
			if isBytes(i.X.Type()) {
				e.readWhole(s, v, e.at(i))
			}
			return set(i, to(e.fresh(sh, s, i, "")))
		}
		return set(i, v)

	case *ssa.ChangeType:
		return set(i, e.value(s, i.X))
	case *ssa.ChangeInterface:
		return set(i, e.value(s, i.X))
	case *ssa.SliceToArrayPointer:
		return set(i, e.value(s, i.X))
	case *ssa.MultiConvert:
		e.touch(s, e.value(s, i.X), e.at(i))
		return set(i, to(e.fresh(sh, s, i, "")))
	case *ssa.MakeInterface:
		v := e.value(s, i.X)
		if len(v.sub) > 0 {
			return set(i, e.box(sh, s, i, v))
		}
		// A nil pointer in an interface is no nil interface, but as good as one for a
		// release.
		if _, basic := i.X.Type().Underlying().(*types.Basic); v.known.kind != anything && (basic || v.known.kind == nonNil || len(v.refs) > 0) {
			v.known = knownNonNil
		}
		return set(i, v)

	case *ssa.TypeAssert:
		v := e.value(s, i.X)
		e.asserted(s, i, v)
		if o := v.identity(); o != nil && i.CommaOk && o.acq != nil && o.site != i.X {
			o.asked = true
		} else if o != nil {
			o.specify(i.AssertedType)
		}
		if i.CommaOk {
			ok := e.fresh(sh, s, i, "ok")
			return set(i, value{sub: map[string]value{"0": e.unbox(s, v, i.AssertedType), "1": to(ok)}})
		}
		e.learn(s, i.X, knownNonNil)
		return set(i, e.unbox(s, v, i.AssertedType))

	case *ssa.Extract:
		v := e.value(s, i.Tuple)
		if sub, ok := v.sub[fmt.Sprint(i.Index)]; ok {
			return set(i, sub)
		}
		o := e.fresh(sh, s, i, "")
		if next, ok := i.Tuple.(*ssa.Next); ok && carries(i.Type()) {
			return set(i, to(o).join(e.value(s, next.Iter).weaken(holds, nowhere)))
		}
		if isReceived(i) {
			e.takeOff(s, o, channelOf(i))
		}
		return set(i, to(o))

	case *ssa.Range:
		e.touchText(s, i.X, e.at(i))
		v := e.value(s, i.X)
		if o := v.identity(); o != nil && o.kind == localObject {
			return set(i, s.mem[cell{o, "[]"}])
		}
		return set(i, value{})

	case *ssa.Next:
		for k := range 3 {
			e.fresh(sh, s, i, fmt.Sprint(k))
		}
		delete(s.env, i)
		return one()

	case *ssa.Select:
		for _, st := range i.States {
			if st.Dir == types.SendOnly {
				e.touch(s, value{}, place{st.Pos, i, e.in})
			}
		}
		for k := range 2 + len(i.States) {
			e.fresh(sh, s, i, fmt.Sprint(k))
		}
		states := set(i, value{})
		for k, st := range i.States {
			if st.Dir == types.SendOnly && !tested(i, k) {
				sent := s.copy()
				e.send(sent, e.value(s, st.Chan), e.value(s, st.Send), place{st.Pos, i, e.in})
				states = append(states, sent)
			}
		}
		return states

	case *ssa.Send:
		e.send(s, e.value(s, i.Chan), e.value(s, i.X), e.at(i))
		return one()

	case *ssa.BinOp:
		if isText(i.X.Type()) {
			e.touchText(s, i.X, e.at(i))
			e.touchText(s, i.Y, e.at(i))
		}
		o := e.fresh(sh, s, i, "")
		if k := compare(i.Op, s.knownOf(e.value(s, i.X)), s.knownOf(e.value(s, i.Y))); k.kind != anything {
			return set(i, value{known: k})
		}
		return set(i, to(o))

	case *ssa.Defer:
		// In a loop, the calls of the last two rounds stand for all.
		n := 0
		for _, p := range s.defers {
			if p.instr == i {
				n++
			}
		}
		if n == 2 {
			oldest := slices.IndexFunc(s.defers, func(p *pending) bool { return p.instr == i })
			s.defers = slices.Delete(s.defers, oldest, oldest+1)
		}
		s.defers = append(s.defers, &pending{i, e.resolve(s, i), e.depth()})
		return one()

	case *ssa.Go:
		e.spawn(s, e.resolve(s, i), e.at(i), sh.loops[i.Block().Index])
		return one()

	case *ssa.RunDefers:
		return e.runDefers(s)

	case *ssa.Call:
		return e.call(sh, s, i)
	}
	if r, ok := instr.(ssa.Value); ok {
		e.fresh(sh, s, r, "")
		delete(s.env, r)
	}
	return one()
}

// tested reports whether a branch tells that the case k of a select was chosen. There is
// none for a case without statements.
func tested(sel *ssa.Select, k int) bool {
	for _, use := range *sel.Referrers() {
		x, ok := use.(*ssa.Extract)
		if !ok || x.Index != 0 {
			continue
		}
		for _, u := range *x.Referrers() {
			b, ok := u.(*ssa.BinOp)
			if !ok {
				continue
			}
			if c, ok := b.Y.(*ssa.Const); ok && c.Int64() == int64(k) && len(*b.Referrers()) > 0 {
				return true
			}
		}
	}
	return false
}

// fromHeader reports whether addr is that of an element of a slice that was made from a
// reflect.SliceHeader: a uintptr leads there.
func fromHeader(addr ssa.Value) bool {
	elem, ok := addr.(*ssa.IndexAddr)
	if !ok {
		return false
	}
	load, ok := elem.X.(*ssa.UnOp)
	if !ok {
		return false
	}
	slice, ok := load.X.(*ssa.Convert)
	if !ok {
		return false
	}
	pointer, ok := slice.X.(*ssa.Convert)
	return ok && elemOfPointer(pointer.X.Type()) != nil && elemOfPointer(pointer.X.Type()).String() == "reflect.SliceHeader"
}

// box puts the struct v into an interface, as an object of its own.
func (e *explorer) box(sh *shape, s *state, i *ssa.MakeInterface, v value) value {
	o := e.fresh(sh, s, i, "")
	o.kind, o.typ = localObject, i.X.Type()
	for _, p := range s.cells(o) {
		delete(s.mem, cell{o, p})
	}
	s.storeParts(cell{obj: o}, v)
	return to(o)
}

// unbox returns the struct of type t that v, an interface, holds, or points to: a method
// of the struct is one of its pointer, too.
func (e *explorer) unbox(s *state, v value, t types.Type) value {
	o := v.identity()
	if _, isStruct := t.Underlying().(*types.Struct); !isStruct || o == nil || o.site == nil || o.typ == nil {
		return v
	}
	if _, boxed := o.site.(*ssa.MakeInterface); boxed || types.Identical(elemOfPointer(o.typ), t) {
		return e.loadCell(s, cell{obj: o}, t, o.site)
	}
	return v
}

// inside returns the address of the part of what x points to that path names.
func (e *explorer) inside(s *state, x ssa.Value, path string) value {
	v := e.value(s, x)
	out := value{known: knownNonNil}
	for _, r := range v.refs {
		if r.rel < view {
			r.path += path
		}
		out.refs = append(out.refs, r)
	}
	return out
}

// hasElement reports whether v is a slice of which the element is known, and in which none
// was stored at an index that is not.
func (s *state) hasElement(v value, element string) bool {
	if len(v.refs) != 1 || v.refs[0].rel != whole || v.refs[0].cut || v.refs[0].path != "" {
		return false
	}
	_, known := s.mem[cell{v.refs[0].obj, element}]
	_, any := s.mem[cell{v.refs[0].obj, "[]"}]
	return known && !any
}

// indexed reports whether elements of the array a are addressed by indexes
// that are not constant.
func (e *explorer) indexed(a *ssa.Alloc) bool {
	if a.Comment == "varargs" {
		return false
	}
	for _, instr := range *a.Referrers() {
		if ia, ok := instr.(*ssa.IndexAddr); ok {
			if _, constant := ia.Index.(*ssa.Const); !constant {
				return true
			}
		}
	}
	return false
}

// pos returns the position of an instruction, or of one near to it. A phi has that of its
// variable, which is elsewhere.
func (e *explorer) pos(instr ssa.Instruction) token.Pos {
	_, phi := instr.(*ssa.Phi)
	if p := instr.Pos(); p.IsValid() && !phi {
		return p
	}
	switch i := instr.(type) {
	case *ssa.Store:
		if p := i.Val.Pos(); p.IsValid() {
			return p
		}
	case *ssa.UnOp:
		if p := i.X.Pos(); p.IsValid() {
			return p
		}
	}
	before := token.NoPos
	for _, x := range instr.Block().Instrs {
		if x == instr && before.IsValid() {
			return before
		}
		if _, set := x.(*ssa.Phi); set {
			continue
		}
		if p := x.Pos(); p.IsValid() {
			before = p
			if x == instr || phi {
				return p
			}
		}
	}
	return before
}
