package flow

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// Code that nobody has seen may take over what it is given, or only borrow it. What
// the program does after the call tells: if it releases the memory itself, the call
// borrows, and a path that forgets to release it after the same call, or another
// call of the same method, loses it.

// A lending is a call that was given some memory.
type lending struct {
	call    ssa.CallInstruction
	in      *context
	arg     int
	unknown bool      // the callee may take over what it is given
	over    *lending  // the same where it may, nil if that was not needed
	ends    bool      // the callee releases it on some path, so that none of them just breaks it
	method  string    // what is called, "" if it has no name
	results []*object // that branches may tell something of
}

// An outcome is what a path knows of the results of a call.
type outcome []known

// give records what pooled memory the call c is given. Who gets bytes that are inside of
// something cannot break that.
func (e *explorer) give(s *state, c *call) {
	for k, a := range c.args {
		if len(a.refs) == 0 && len(a.sub) == 0 {
			continue
		}
		e.eachReached(s, a, func(r ref) {
			inside := isBytes(c.regs[k].Type()) && (r.obj.parent != nil || r.path != "")
			if o := r.obj.root(); o.acq != nil && !inside && s.status[o].phase == live {
				e.lend(s, o, e.lendingOf(c, k))
			}
		})
	}
}

// failed returns the calls whose error ret may return, and those inside of them.
func failed(ret *ssa.Return) []ssa.CallInstruction {
	var calls []ssa.CallInstruction
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value)
	visitReturn := func(ret *ssa.Return) {
		for _, v := range ret.Results {
			if implementsError(v.Type()) {
				visit(beforeDefers(ret, v))
			}
		}
	}
	inside := func(call *ssa.Call) {
		callee := call.Call.StaticCallee()
		if callee == nil || callee.Pkg != call.Parent().Pkg {
			return
		}
		for _, b := range callee.Blocks {
			if r, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
				visitReturn(r)
			}
		}
	}
	visit = func(v ssa.Value) {
		if seen[v] || !implementsError(v.Type()) && !types.IsInterface(v.Type()) {
			return
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Extract:
			if call, ok := v.Tuple.(*ssa.Call); ok {
				calls = append(calls, call)
				inside(call)
			}
		case *ssa.ChangeInterface:
			visit(v.X)
		case *ssa.Phi:
			for _, x := range v.Edges {
				visit(x)
			}
		case *ssa.Call:
			calls = append(calls, v)
			inside(v)
			for _, a := range v.Call.Args { // of fmt.Errorf and the like
				visit(a)
				if sl, ok := a.(*ssa.Slice); ok {
					stored(sl.X, visit)
				}
			}
		case *ssa.UnOp:
			stored(v.X, visit) // a named result
		}
	}
	visitReturn(ret)
	return calls
}

// stored calls f for what is stored in the variable a, or in its elements.
func stored(a ssa.Value, f func(ssa.Value)) {
	if _, ok := a.(*ssa.Alloc); !ok {
		return
	}
	for _, use := range *a.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == a {
				f(use.Val)
			}
		case *ssa.IndexAddr:
			for _, u := range *use.Referrers() {
				if st, ok := u.(*ssa.Store); ok {
					f(st.Val)
				}
			}
		}
	}
}

// broken reports whether the path that returns by ret leaves o alone because a call
// failed that was given it: its own Reset, or, unless o is a mere buffer, any.
func (s *state) broken(o *object, ret *ssa.Return) bool {
	calls := failed(ret)
	return slices.ContainsFunc(s.status[o].lent, func(l *lending) bool {
		return slices.Contains(calls, l.call) && !l.ends &&
			(!isBuffer(o.typ) || l.arg == 0 && strings.HasPrefix(calleeName(l.call), "Reset"))
	})
}

// lend records that the call was given o: all of it, not just something of its own.
func (e *explorer) lend(s *state, o *object, l *lending) {
	s.update(o, func(st *status) {
		if !slices.Contains(st.lent, l) {
			st.lent = append(slices.Clip(st.lent), l)
		}
	})
}

// lendingOf returns the lending of argument k of the call c.
func (e *explorer) lendingOf(c *call, k int) *lending {
	for _, l := range e.lendings {
		if l.call == c.instr && l.in == e.in && l.arg == k {
			return l
		}
	}
	l := &lending{call: c.instr, in: e.in, arg: k}
	if t := c.common; t.IsInvoke() {
		l.method = Name(t.Method)
	} else if fn := t.StaticCallee(); fn != nil {
		l.method = fn.String()
	} else if obj := placeOf(t.Value); obj != nil {
		l.method = obj.String()
	}
	if l.method != "" {
		l.method = fmt.Sprintf("%s %d", l.method, k)
	}
	if reg, ok := c.instr.(*ssa.Call); ok && &reg.Call == c.common {
		sig := c.common.Signature().Results()
		for k := range sig.Len() {
			if t := sig.At(k).Type(); isScalar(t) || implementsError(t) {
				l.results = append(l.results, e.result(reg, k))
			}
		}
	}
	e.lendings = append(e.lendings, l)
	return l
}

// takingOver returns l on a path where the callee may take over what it is given.
func (l *lending) takingOver() *lending {
	if l.unknown {
		return l
	}
	if l.over == nil {
		twin := *l
		twin.unknown = true
		l.over = &twin
	}
	return l.over
}

// endedBy records that the call c has released what it was lent.
func endedBy(lent []*lending, c *call) {
	for _, l := range lent {
		l.ends = l.ends || l.call == c.instr
	}
}

// perhapsTaken records of the ways in which c, which may reach unknown code as well, has ended that
// this code may have taken over what it was given.
func (e *explorer) perhapsTaken(out []returned, c *call) {
	for _, r := range out {
		for o, st := range r.state.status {
			for _, l := range st.lent {
				if l.call == c.instr && l.in == e.in {
					e.lend(r.state, o, l.takingOver())
				}
			}
		}
	}
}

// isOwnSentinel reports whether v is a sentinel of the program's own, by which a
// function tells its callers more than that it has failed.
func (p *Package) isOwnSentinel(v ssa.Value) bool {
	g := p.sentinel(v)
	return g != nil && !api.Standard(g.Pkg.Pkg.Path())
}

// takenOver records that a call has returned the error err, which may say that the call
// has taken over what it was lent.
func (s *state) takenOver(err value) {
	result := err.identity()
	for o, st := range s.status {
		if slices.ContainsFunc(st.lent, func(l *lending) bool { return slices.Contains(l.results, result) }) {
			s.update(o, (*status).share)
		}
	}
}

// outcome returns what s knows of the results of the lending.
func (l *lending) outcome(s *state) outcome {
	out := make(outcome, len(l.results))
	for i, o := range l.results {
		out[i] = s.known[o]
	}
	return out
}

// borrowed records that o is released by this function after it was lent: the
// calls have borrowed it.
func (e *explorer) borrowed(s *state, o *object) {
	for _, l := range s.status[o].lent {
		if !l.unknown {
			continue
		}
		e.proofs[l] = append(e.proofs[l], l.outcome(s))
		if l.method != "" {
			e.borrowers[l.method] = append(e.borrowers[l.method], l.outcome(s))
		}
	}
}

// A loan is a lending on a path that ends without a release.
type loan struct {
	*lending
	outcome outcome
}

func (s *state) loans(o *object) []loan {
	var loans []loan
	for _, l := range s.status[o].lent {
		if !l.unknown {
			continue
		}
		loans = append(loans, loan{l, l.outcome(s)})
	}
	return loans
}

// mayReturn reports whether the caller uses a result that may be what it has lent, as a chain
// of calls does: whether it is released there tells nothing of the call.
func (l *lending) mayReturn() bool {
	reg, ok := l.call.(*ssa.Call)
	if !ok || unused(reg) {
		return false
	}
	args := arguments(reg.Common())
	return l.arg >= 0 && l.arg < len(args) && types.Identical(reg.Type(), args[l.arg].Type())
}

// onlyBorrowed reports whether the program shows elsewhere that the call does not take
// over what it is given.
func (e *explorer) onlyBorrowed(l loan) bool {
	proves := func(released outcome) bool {
		for i, k := range released {
			sameOrWorse := k.kind == anything || l.outcome[i] == k || k.kind == isNil || k == knownTrue && l.outcome[i] == knownFalse
			if !sameOrWorse {
				return false
			}
		}
		return true
	}
	return !l.mayReturn() && (slices.ContainsFunc(e.proofs[l.lending], proves) || slices.ContainsFunc(e.borrowers[l.method], proves))
}
