package flow

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A leak is a path that ends with memory that was to be released.
type leak struct {
	ret    place
	loans  []loan // calls that have borrowed the memory, or taken it over
	broken bool   // a call failed that was given the memory
	judged bool
	fails  bool // the path returns an error
	// grouped says that the memory was an element of an array.
	grouped bool
	// certain says that nothing else on the path has had the memory, so that
	// a deferred release is all that is missing.
	certain bool
	// origin is the name of the pool that the memory came from, "" if it is not known.
	origin string
}

// leave looks at the end of one path: at what outlives its release, and at
// what was never released.
func (e *explorer) leave(x exit) {
	s := x.state
	failed := s.fails(x.ret, x.results)
	for i, v := range x.results {
		// What is returned beside an error is not looked at, and of errors only those
		// that were made here.
		t := x.ret.Results[i].Type()
		made := isError(t) && v.identity() != nil && v.identity().kind == localObject && s.knownOf(v).kind != isNil
		if !made && (failed || !carries(t)) {
			continue
		}
		e.reach(s, v, true, func(r ref) { e.outlives(s, r, x.ret) })
	}
	for _, o := range sortedObjects(s.status) {
		st := s.status[o]
		if st.phase != released && st.phase != sent {
			continue
		}
		for _, esc := range st.escapes {
			if !e.stillThere(s, o, esc) {
				continue
			}
			if st.phase == released {
				code := AliasEscape
				if esc.late {
					code = UseAfterRelease
				}
				e.report(s, code, o, esc.at, st.at)
				break
			}
			if f := storedIn(esc.at.instr); f != nil {
				e.afterSend(s, o, esc.at, f)
			}
		}
	}
	for _, v := range x.results {
		if o := v.identity(); o != nil && o.isList() {
			e.returnedLists[o.acq.call] = true
		}
		e.unlist(s, v.refs)
		e.eachReached(s, v, func(r ref) {
			s.handOver(r.obj)
			if o := r.obj; o.kind == contentObject && isFunction(o.typ) {
				s.handOver(o.parent) // it may release what it is a part of
			}
		})
	}
	e.escapedOwners(s)
	e.strandLeft(x)
	for _, o := range sortedObjects(s.status) {
		if s.lost(o, s.status[o]) {
			e.leak(s, o, e.at(x.ret))
		}
	}
	x.settle()
	e.settleLosses(s)
}

// leak records that o is lost: the last chance to release it was in front of at. Where callees
// are not run, what gives back the memory in a struct is easily overlooked.
func (e *explorer) leak(s *state, o *object, at place) {
	if e.muted || e.shallow && o.taken && e.owns(o.typ) {
		return
	}
	ret, returns := returnBehind(at.instr)
	if returns {
		at.instr = ret
	} else if site, ok := o.site.(ssa.Instruction); ok && o.in == at.in && reaches(at.instr.Block(), site.Block()) {
		at = o.at.inItsLoop() // the loop acquires another
	}
	at.pos = e.pos(at.instr)
	for b := at.instr.Block(); !at.pos.IsValid() && len(b.Succs) > 0 && b.Dominates(b.Succs[0]); {
		b = b.Succs[0]
		at.pos = e.pos(b.Instrs[0])
	}
	st := s.status[o]
	base := e.young(o)
	broken := returns && s.broken(o, ret)
	fails := returns && e.failing(s, ret)
	judged := st.judged && !(st.setting && fails)
	s.losses = append(slices.Clip(s.losses), loss{base, leak{
		ret: at, loans: s.loans(o), broken: broken, judged: judged || st.many, fails: fails, grouped: st.grouped, certain: o.age == 0, origin: st.origin,
	}})
}

// fails reports whether the results of ret have an error that is certainly one.
func (s *state) fails(ret *ssa.Return, results []value) bool {
	for i, v := range results {
		if implementsError(ret.Results[i].Type()) && s.knownOf(v).kind == nonNil {
			return true
		}
	}
	return false
}

// settle notes that no call has broken what is lost at the end of x, if x returns no error.
func (x exit) settle() {
	none := false
	for i, v := range x.results {
		if !implementsError(x.ret.Results[i].Type()) {
			continue
		}
		if x.state.knownOf(v).kind != isNil {
			return
		}
		none = true
	}
	if !none {
		return
	}
	losses := slices.Clone(x.state.losses)
	for i, l := range losses {
		losses[i].broken = l.broken && l.ret.instr != x.ret
	}
	x.state.losses = losses
}

// failing is fails for a path that has yet to come to ret, straight.
func (e *explorer) failing(s *state, ret *ssa.Return) bool {
	return slices.ContainsFunc(ret.Results, func(r ssa.Value) bool {
		return implementsError(r.Type()) && e.willFail(s, beforeDefers(ret, r))
	})
}

// willFail reports whether r is an error for certain, or will be when it is made.
func (e *explorer) willFail(s *state, r ssa.Value) bool {
	if e.sentinel(r) != nil {
		return true
	}
	switch r := r.(type) {
	case *ssa.MakeInterface:
		return true
	case *ssa.Call:
		obj, _ := e.mayCall(&r.Call)
		if obj == nil {
			break
		}
		if row := e.row(obj); row != nil && slices.ContainsFunc(row.Effects, func(f api.Effect) bool {
			return f.Op == api.NonNil || f.Op == api.Whole && e.willFail(s, arguments(&r.Call)[f.Arg])
		}) {
			return true
		}
	}
	return s.knownOf(e.value(s, r)).kind == nonNil
}

// beforeDefers returns what the block of ret stores in the variable that its result r is
// read from when deferred calls have run, and r if it stores nothing there.
func beforeDefers(ret *ssa.Return, r ssa.Value) ssa.Value {
	load, ok := r.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return r
	}
	for _, instr := range ret.Block().Instrs {
		if st, ok := instr.(*ssa.Store); ok && st.Addr == load.X {
			r = st.Val
		}
	}
	return r
}

// A loss is memory that a path has lost. It counts when the path ends in a return.
type loss struct {
	obj *object
	leak
}

func (l loss) same(m loss) bool { return l.obj == m.obj && l.ret == m.ret && l.broken == m.broken }

// settleLosses records what the path of s has lost.
func (e *explorer) settleLosses(s *state) {
	for _, l := range s.losses {
		e.leaks[l.obj] = append(e.leaks[l.obj], l.leak)
	}
}

// returnBehind returns the return that nothing but straight code leads to from
// instr.
func returnBehind(instr ssa.Instruction) (*ssa.Return, bool) {
	b := instr.Block()
	for range 4 {
		last := b.Instrs[len(b.Instrs)-1]
		if ret, ok := last.(*ssa.Return); ok {
			return ret, true
		}
		if _, ok := last.(*ssa.Jump); !ok {
			break
		}
		b = b.Succs[0]
	}
	return nil, false
}

// handOver records that o was given to somebody else. If o is the bytes inside of
// pooled memory, that memory was given away with them: nothing else in it is worth
// pooling.
func (s *state) handOver(o *object) {
	if o.kind == globalObject {
		return
	}
	s.update(o, (*status).share)
	if o.typ == nil || !isText(o.typ) && !isSlice(o.typ) {
		return
	}
	for ; o.parent != nil; o = o.parent {
		if o.parent.acq != nil {
			s.update(o.parent, (*status).share)
		}
	}
}

// lost reports whether o would never be released if nothing more happened.
func (s *state) lost(o *object, st status) bool {
	return (o.acq != nil || o.taken) && st.owned && !st.escaped && st.phase == live && !st.each.valid() && len(st.tasks) == 0 &&
		s.known[o].kind != isNil && !s.emptyBox(o)
}

// emptyBox reports whether o is a box without a slice in it.
func (s *state) emptyBox(o *object) bool {
	for x, k := range s.known {
		if k.kind == isNil && x.parent == o && inBox(x) {
			return true
		}
	}
	return false
}

// outlives reports what is returned after its release.
func (e *explorer) outlives(s *state, r ref, ret *ssa.Return) {
	st := s.status[r.obj]
	at := e.at(ret)
	if r.rel == holds && r.at.valid() && r.at.in == e.in {
		at = r.at
	}
	switch {
	case st.rider && r.rel == holds && !isBytes(r.obj.typ):
		// Elements of a list that went back: they may be anything.
	case st.phase == released && (r.rel != holds || r.at.valid()):
		e.report(s, AliasEscape, r.obj, at, st.at)
	case st.phase == moved && r.rel != holds:
		e.report(s, GrownAndLost, r.obj, at, st.at)
	}
}

// isCommand reports whether t is a *exec.Cmd: whoever gives it buffers waits for it.
func isCommand(t types.Type) bool { return t != nil && t.String() == "*os/exec.Cmd" }

// onlyLent reports whether v is a variable whose address the function gives to nothing
// but calls of methods and functions.
func onlyLent(v ssa.Value) bool {
	a, ok := v.(*ssa.Alloc)
	if !ok {
		return false
	}
	for _, use := range *a.Referrers() {
		switch use := use.(type) {
		case *ssa.FieldAddr, *ssa.UnOp, *ssa.DebugRef, *ssa.Call, *ssa.Defer:
		case *ssa.Store:
			if use.Val == a {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// stillThere reports whether the place that o was stored in shows it still.
func (e *explorer) stillThere(s *state, o *object, x escape) bool {
	if x.into != nil && x.into.root().acq != nil {
		return false // pooled, too: its next user overwrites it
	}
	if x.into != nil && (onlyLent(x.into.site) || isCommand(x.into.typ)) {
		return false // it ends with the function, or when the command does
	}
	if putBack(x.at.instr) {
		return false
	}
	if x.cell.obj == nil {
		_, stored := x.at.instr.(*ssa.Store)
		return !stored || x.into != nil || !e.crowded // where to was forgotten, most likely
	}
	v, ok := s.mem[x.cell]
	if !ok {
		return false
	}
	there := false
	e.eachReached(s, v, func(r ref) { there = there || r.obj == o })
	return there
}

// putBack reports whether instr stores in a field that a deferred literal of the same
// function stores in, too: most often, what was there before.
func putBack(instr ssa.Instruction) bool {
	f := storedIn(instr)
	if f == nil {
		return false
	}
	return does(instr.Parent(), func(i ssa.Instruction) bool {
		late, ok := i.(*ssa.Defer)
		if !ok {
			return false
		}
		literal, ok := late.Call.Value.(*ssa.MakeClosure)
		return ok && does(literal.Fn.(*ssa.Function), func(i ssa.Instruction) bool { return storedIn(i) == f })
	})
}

// escapedOwners marks what local variables hold that others can reach.
func (e *explorer) escapedOwners(s *state) {
	for changed := true; changed; {
		changed = false
		for c, v := range s.mem {
			if c.obj.kind == pooledObject || (c.obj.kind == localObject || c.obj.message) && !s.status[c.obj].escaped {
				continue
			}
			for _, r := range v.all() {
				if r.obj.kind != globalObject && !s.status[r.obj].escaped && s.status[r.obj].phase == live {
					s.update(r.obj, (*status).share)
					changed = true
				}
			}
		}
	}
}

// missing reports the memory that was to be released, unless something worse has
// happened to it.
func (e *explorer) missing() []*Report {
	reported := make(map[*object]bool)
	for _, r := range e.reports {
		reported[r.object] = true
	}
	var out []*Report
	for o, leaks := range e.leaks {
		if reported[o] || o.movedFrom(reported) {
			continue
		}
		if r := e.leaked(o, leaks); r != nil {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *Report) int { return cmp.Compare(a.Pos, b.Pos) })
	return out
}

// isFreed reports whether some function releases what it takes out of source, or finds there.
func (p *Package) isFreed(source types.Object) bool {
	f, ok := source.(*types.Var)
	return p.sourceFreed[source] || ok && len(p.fieldFrees[f]) > 0
}

// leaked returns the report on o, nil if leaving it to the collector may be meant.
func (e *explorer) leaked(o *object, leaks []leak) *Report {
	if e.counted[o] {
		return nil
	}
	freed := e.frees[o] > 0
	if o.isList() && !freed && !e.returnedLists[o.acq.call] {
		return nil
	}
	if o.taken && !freed && e.acquiredByCaller(o) || o.taken && !freed && !e.isFreed(o.source) && !slices.ContainsFunc(e.handedOn[e.young(o)], e.isFreed) || o.acq != nil && !o.acq.family.Strict && !freed && !o.acq.pool.find().put {
		return nil
	}
	leaks = slices.DeleteFunc(leaks, func(l leak) bool {
		// Which elements a release in a loop reaches is not known.
		return l.judged || l.fails && e.lostByCallers(o) || l.broken && (!freed || !isBuffer(o.typ)) || l.grouped && e.several[o] ||
			slices.ContainsFunc(l.loans, func(l loan) bool { return !e.onlyBorrowed(l) })
	})
	if len(leaks) == 0 || !e.relevant(o) {
		return nil
	}
	var r *Report // nil for what a callee has lost: it has a report of its own
	for i := 0; i < len(leaks) && r == nil; i++ {
		r = e.newReport(MissingRelease, o, o.at, leaks[i].ret)
	}
	if r == nil {
		return nil
	}
	certain := !freed
	for _, l := range leaks {
		certain = certain && l.certain && len(l.loans) == 0
	}
	if instr, ok := o.site.(ssa.Instruction); ok && certain && !reaches(instr.Block(), instr.Block()) &&
		o.acq != nil && o.acq.family.Strict && instr.Parent() == e.fn {
		r.Leaked = o.acq.call
	}
	return r
}
