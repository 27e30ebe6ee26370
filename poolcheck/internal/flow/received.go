package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// What comes out of a channel, or out of a map from which it is deleted, belongs to
// whoever took it, and so do elements of lists (popped.go). That it is to be released shows
// where some path of the function releases it, or what another function has taken out of
// the same place.

// takeOver records that o, which the function has taken out of something, is the
// function's to release, if it releases it at all.
func (e *explorer) takeOver(s *state, o *object) {
	if o.kind != unknownObject && !o.inMessage() || o.typ == nil || o.depth() > 2 {
		return
	}
	fields := e.messageOf(o.typ)
	o.message = fields != nil
	if st := s.status[o]; !o.message && !e.comesBack(o.typ) || st.phase != live || st.shared() || st.owned {
		return
	}
	if x, ok := o.site.(*ssa.Extract); ok && !o.at.valid() {
		o.at = e.at(x.Tuple.(ssa.Instruction))
		if sel, ok := x.Tuple.(*ssa.Select); ok {
			o.at.pos = receives(sel)[x.Index-2].Pos
		}
	}
	if o.message {
		for f := range fields.Fields() {
			e.takeOver(s, e.content(o, "."+f.Name(), f.Type()))
		}
	}
	if !e.comesBack(o.typ) {
		return
	}
	o.taken = true
	s.update(o, func(st *status) { st.owned = true })
}

// messageOf returns the struct that t, of what comes out of a channel, is or points to, nil if
// it points to one that may be somewhere else, too.
func (p *Package) messageOf(t types.Type) *types.Struct {
	if st, ok := t.Underlying().(*types.Struct); ok {
		return st
	}
	elem := elemOfPointer(t)
	if elem == nil {
		return nil
	}
	st, ok := elem.Underlying().(*types.Struct)
	if !ok || !p.onlySent(t) {
		return nil
	}
	return st
}

// onlySent reports whether the package makes structs that t points to, and does nothing with
// them but to send them over channels.
func (p *Package) onlySent(t types.Type) bool {
	named, ok := types.Unalias(elemOfPointer(t)).(*types.Named)
	if !ok || named.Obj().Pkg() != p.types || p.putTypes[named.Obj()] {
		return false
	}
	if known, ok := p.messages[named.Obj()]; ok {
		return known
	}
	made := p.usesOf().made[named.Obj()]
	all := len(made) > 0
	for _, v := range made {
		f := newFlow(p, t)
		f.follow(v)
		f.run()
		all = all && !f.free && len(f.containers) > 0 && !slices.ContainsFunc(f.containers, func(c types.Object) bool { return !isChannel(c.Type()) })
	}
	p.messages[named.Obj()] = all
	return all
}

// inMessage reports whether o was found in a field of a struct that came out of a channel: it
// came with that.
func (o *object) inMessage() bool {
	return o.kind == contentObject && o.parent.message && o.parent.age == o.age && strings.HasPrefix(o.path, ".")
}

// cameWith returns the memory that was taken out of a channel with the message m, and is
// known.
func (s *state) cameWith(m *object) []*object {
	var list []*object
	for _, o := range sortedObjects(s.status) {
		if o.inMessage() && o.parent == m {
			list = append(list, o)
		}
	}
	return list
}

// handsOut reports whether call is one of an interface's method that hands something out by
// its name, and the function gives that back, by a method or function that is called so.
func (p *Package) handsOut(call *ssa.Call) bool {
	v, results := ssa.Value(call), call.Call.Signature().Results()
	if !call.Call.IsInvoke() || results.Len() == 0 || isScalar(results.At(0).Type()) && !types.IsInterface(results.At(0).Type()) || !takesOutByName(call) {
		return false
	}
	switch results.Len() {
	case 1:
	case 2:
		if x := extracted(call, 0); isError(results.At(1).Type()) && x != nil {
			v = x
			break
		}
		fallthrough
	default:
		return false
	}
	return p.comesBack(results.At(0).Type()) && releasedHere(v)
}

// takeResult returns the ends of the unknown call c. If it hands something out, that is the
// function's.
func (e *explorer) takeResult(s *state, c *call, reg ssa.Value) []returned {
	call, ok := reg.(*ssa.Call)
	if !ok || !e.handsOut(call) {
		return []returned{{s, e.fill(s, reg, nil)}}
	}
	o := e.result(call, 0)
	if c.common.Signature().Results().Len() == 1 {
		e.takeOver(s, o)
		return []returned{{s, e.fill(s, reg, nil)}}
	}
	failed := s.copy()
	e.takeOver(s, o)
	return []returned{
		{failed, e.fill(failed, reg, map[int]value{0: {known: knownNil}, 1: {known: knownNonNil}})},
		{s, e.fill(s, reg, map[int]value{1: {known: knownNil}})},
	}
}

// givesItselfBack reports whether the method m gives its receiver back, by its name.
func givesItselfBack(m *types.Func) bool {
	sig := m.Signature()
	return verb(m.Name(), giveBack) != "" && sig.Params().Len() == 0 && sig.Results().Len() == 0
}

// isOwn reports whether v was taken out of something.
func isOwn(v value) bool {
	o := v.identity()
	return o != nil && o.taken
}

// releasedHere reports whether the function gives v back to something.
func releasedHere(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		call, ok := use.(ssa.CallInstruction)
		if !ok || verb(calleeName(call), giveBack) == "" {
			return false
		}
		cc := call.Common()
		return cc.IsInvoke() && cc.Value == v || slices.Contains(cc.Args, v)
	})
}

// comesBack reports whether what is of type t may well be given back to something.
func (p *Package) comesBack(t types.Type) bool {
	if types.IsInterface(t) {
		return slices.ContainsFunc(methods(t), func(m types.Object) bool { return givesItselfBack(m.(*types.Func)) })
	}
	elem := elemOfPointer(t)
	if elem == nil {
		return isBytes(t)
	}
	if named, ok := types.Unalias(elem).(*types.Named); ok {
		return p.putTypes[named.Obj()]
	}
	return HoldsBytes(elem)
}

// takesForCallers reports whether fn returns what it takes out of a channel, which its
// callers may have to give back.
func (p *Package) takesForCallers(fn *ssa.Function) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		return slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
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
				e.takeOver(s, held.identity())
			}
		}
	}
}
