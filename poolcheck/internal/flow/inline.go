package flow

import (
	"fmt"
	"go/types"
	"iter"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// enters reports whether fn is run in the state of its caller: if it has to do
// with pooled memory, or is given some, or a literal that does, or if it calls nothing and
// is given what the caller has filled in, such as a struct whose memory was taken out before.
func (e *explorer) enters(s *state, fn *ssa.Function, c *call) bool {
	if e.shallow || fn.Pkg != e.fn.Pkg || len(fn.Blocks) == 0 || e.depth() >= maxDepth || e.running(fn) {
		return false
	}
	return (e.pools[fn] || len(fn.Blocks) <= MaxHelper && (e.leadToPooled(s, c.args) || slices.ContainsFunc(c.args, e.poolingLiteral))) && !e.tooHeavy(fn) ||
		callsNothing(fn) && slices.ContainsFunc(c.args, s.filledIn)
}

// poolingLiteral reports whether v is a function literal that hands out or takes back
// pooled memory.
func (e *explorer) poolingLiteral(v value) bool {
	o := v.identity()
	if o == nil {
		return false
	}
	mc, ok := o.site.(*ssa.MakeClosure)
	return ok && e.pools[mc.Fn.(*ssa.Function)]
}

// tooHeavy reports whether fn by itself takes more work than a function may. A caller that
// ran it would take even more.
func (e *explorer) tooHeavy(fn *ssa.Function) bool {
	e.summary(fn)
	return e.heavy[fn]
}

// callsNothing reports whether fn is short and runs no other code.
func callsNothing(fn *ssa.Function) bool {
	const short = 4
	return len(fn.Blocks) <= short && !does(fn, func(instr ssa.Instruction) bool {
		switch instr.(type) {
		case ssa.CallInstruction, *ssa.MakeClosure:
			return true
		}
		return false
	})
}

// filledIn reports whether v is a variable of the function's own with cells that it has
// written.
func (s *state) filledIn(v value) bool {
	o := v.identity()
	return o != nil && o.kind == localObject && !s.status[o].shared() && s.wrote(o)
}

// wrote reports whether the function has written cells of o.
func (s *state) wrote(o *object) bool {
	for c := range s.stored {
		if c.obj == o {
			return true
		}
	}
	return false
}

// leadToPooled reports whether pooled memory, or what was released, can be reached
// from vs.
func (e *explorer) leadToPooled(s *state, vs []value) bool {
	for o := range s.reachable(vs) {
		if o.root().acq != nil || s.status[o].phase != live {
			return true
		}
	}
	return false
}

// endedWithin returns what can be reached from vs and was released before, or given away.
func (e *explorer) endedWithin(s *state, vs []value) []*object {
	var ended []*object
	for o := range s.reachable(vs) {
		if s.status[o].phase != live {
			ended = append(ended, o)
		}
	}
	return ended
}

// reachable yields the objects that vs lead to, through whatever cells.
func (s *state) reachable(vs []value) iter.Seq[*object] {
	return func(yield func(*object) bool) {
		cells := make(map[*object][]value)
		for c, v := range s.mem {
			cells[c.obj] = append(cells[c.obj], v)
		}
		seen := make(map[*object]bool)
		var walk func(v value) bool
		walk = func(v value) bool {
			for _, x := range v.all() {
				if seen[x.obj] {
					continue
				}
				seen[x.obj] = true
				if !yield(x.obj) {
					return false
				}
				for _, w := range cells[x.obj] {
					if !walk(w) {
						return false
					}
				}
			}
			return true
		}
		for _, v := range vs {
			if !walk(v) {
				return
			}
		}
	}
}

// inline runs a function in the state of its caller.
func (e *explorer) inline(s *state, t target, c *call) []returned {
	fn := t.fn
	if e.depth() >= maxDepth || e.running(fn) {
		e.unknownCall(s, c)
		return []returned{{s, value{}}}
	}
	e.releasedInElements(s, fn, c)
	before := maps.Clone(s.status)
	var told []known // what the caller knows of the arguments
	for _, a := range c.args {
		told = append(told, s.knownOf(a))
	}
	for k, fv := range fn.FreeVars {
		if t.literal == nil {
			delete(s.env, fv) // nobody knows what it has captured
			continue
		}
		s.env[fv] = s.mem[cell{t.literal, fmt.Sprintf("#%d", k)}]
		if s.env[fv].stale {
			s.env[fv] = value{}
		}
	}
	for k, p := range fn.Params {
		if k < len(c.args) {
			s.env[p] = e.unbox(s, c.args[k], p.Type())
		}
	}
	outer := e.in
	e.in = e.inner(c.instr, fn, c.deferred)
	exits := e.run(fn, s)
	e.in = outer
	var out []returned
	for _, x := range exits {
		var v value
		switch len(x.results) {
		case 0:
		case 1:
			v = x.results[0]
		default:
			v.sub = make(map[string]value)
			for k, r := range x.results {
				v.sub[fmt.Sprint(k)] = r
			}
		}
		callee := e.inner(c.instr, fn, c.deferred)
		e.usedLate(x.state, c, callee)
		if fn.Parent() == nil {
			e.outlived(x.state, v, callee)
		}
		out = append(out, returned{x.state, v})
	}
	e.weigh(before, told, out, c, e.inner(c.instr, fn, c.deferred))
	judgedFor(fn, before, out)
	return e.mergeReturns(out)
}

// releasedInElements records that fn may release what the arguments of c lead to, where
// these are elements of which it is not known which.
func (e *explorer) releasedInElements(s *state, fn *ssa.Function, c *call) {
	for k, a := range c.args {
		element := slices.ContainsFunc(a.refs, func(x ref) bool { return x.rel == holds })
		if !element || !e.leadToPooled(s, []value{a}) {
			continue
		}
		if sum := e.summary(fn); sum != nil && sum.givesInside(k) {
			e.eachReached(s, a, func(r ref) { s.update(r.obj, (*status).share) })
		}
	}
}

// weigh compares returns that the caller cannot tell apart. What some of them have released
// and others have not is gone: whether it is released is the callee's own business, and no
// path that the caller forgot. That does not hold for a callee that takes memory back by its
// name, for a literal of the caller, and for what was sent over a channel: what these have
// ended stays so. What some have given to unknown code, the others have given to it, too.
// What some have stored, the others have not, unless the caller ignores results that tell. What
// a method that ends its struct has left where it failed is its own fault (fields.go), and no caller
// that defers it can help.
func (e *explorer) weigh(before map[*object]status, told []known, out []returned, c *call, callee *context) {
	for i, r := range out {
		for o, st := range r.state.status {
			ended, stored := st.phase != live, len(st.escapes) > len(before[o].escapes)
			if before[o].phase == live && st.phase == released {
				endedBy(st.lent, c)
			}
			if before[o].phase != live || o.in.within(callee) || !ended && (!st.escaped || before[o].escaped) {
				continue
			}
			for j, other := range out {
				left := other.state.status[o]
				if i == j || left.phase != live || left.judged && !endsByName(callee.fn, o.typ) && !(o.taken && takesBackByName(callee.fn.Name())) || other.state.known[o].kind == isNil || !o.taken && !other.state.there(o) {
					continue
				}
				if st.phase == sent && o.acq != nil {
					continue
				}
				if ended && st.phase != sent && !left.shared() && ignored(c) && other.fails(c) {
					continue // its caller has lost it, because it does not ask
				}
				untold := ignored(c) && c.common.Signature().Results().Len() > 0
				alike := ignored(c) || r.looksLike(other, c, told)
				if !alike && !(c.deferred && isEnd(callee.fn.Name())) || stored && !ended && !untold {
					continue
				}
				other.state.update(o, func(st *status) {
					st.share()
					if ended {
						st.phase = gone
					}
				})
				if st.phase == released && alike && !endsByName(callee.fn, o.typ) && !e.byLiteral(st.at) {
					r.state.update(o, func(st *status) { st.phase = gone })
					e.doubted[e.young(o)] = true
				}
			}
		}
	}
}

// fails reports whether the call c, which has ended in r, has returned an error for certain.
func (r returned) fails(c *call) bool {
	results := c.common.Signature().Results()
	for k := range results.Len() {
		v := r.result
		if results.Len() > 1 {
			v = v.sub[fmt.Sprint(k)]
		}
		if implementsError(results.At(k).Type()) && r.state.knownOf(v).kind == nonNil {
			return true
		}
	}
	return false
}

// byLiteral reports whether p is in a literal that the function around it has called, or
// given to what calls it.
func (e *explorer) byLiteral(p place) bool {
	for x := p.in; x != nil; x = x.outer {
		if outer := x.fn.Parent(); outer != nil && !x.deferred && (outer == e.fn || e.running(outer)) {
			return true
		}
	}
	return false
}

// endsByName reports whether fn takes back what it is given of type t, by its name, even
// where it leaves it to the collector because of its size, say. Structs of the program's
// own may count references.
func endsByName(fn *ssa.Function, t types.Type) bool {
	if t == nil || verb(fn.Name(), giveBack) == "" {
		return false
	}
	elem := elemOfPointer(t)
	return isBytes(t) || elem != nil && (isBytes(elem) || elem.String() == "bytes.Buffer")
}

// judgedFor removes the marks of this call of fn on memory whose size has decided
// something else than whether it is released, or left behind.
func judgedFor(fn *ssa.Function, before map[*object]status, out []returned) {
	released, returned := make(map[*object]bool), make(map[*object]bool)
	for _, r := range out {
		for o, st := range r.state.status {
			released[o] = released[o] || st.phase != live
			returned[o] = returned[o] || r.result.leadsTo(o)
		}
	}
	for _, r := range out {
		for o, st := range r.state.status {
			left := released[o] || returned[o] && !r.result.leadsTo(o)
			if st.judged && !before[o].judged && !left && st.judge != nil && st.judge.Parent() == fn && r.leadsInside(o) {
				r.state.update(o, func(st *status) { st.judged, st.judge = false, nil })
			}
		}
	}
}

// leadsInside reports whether the caller can reach o, or what was found in it.
func (r returned) leadsInside(o *object) bool {
	for x := range r.state.status {
		if x.inside(o) && (r.result.leadsTo(x) || r.state.leadsTo(x)) {
			return true
		}
	}
	return r.result.leadsTo(o) || r.state.leadsTo(o)
}

// looksLike reports whether the caller cannot tell r from p by its results, nor
// by an argument that is no pointer and of which it knows something.
func (r returned) looksLike(p returned, c *call, told []known) bool {
	for i, a := range c.args {
		if k := p.state.knownOf(a); told[i].kind != anything && k.kind == isConst && k != r.state.knownOf(a) {
			return false
		}
	}
	alike := func(a, b value) bool {
		x, y := r.state.knownOf(a), p.state.knownOf(b)
		return x == y || x.kind == anything || y.kind == anything
	}
	if !alike(r.result, p.result) {
		return false
	}
	for k, v := range r.result.sub {
		if !alike(v, p.result.sub[k]) {
			return false
		}
	}
	return true
}

// mergeReturns makes one of returns that differ only in what is known of objects.
func (e *explorer) mergeReturns(out []returned) []returned {
	of := func(r returned) (*state, key) {
		k := r.state.key(e)
		k.add(r.result.appendTo(nil))
		return r.state, k
	}
	return mergeAlike(out, of, func(s, t *state) { s.join(t.facts()) })
}
