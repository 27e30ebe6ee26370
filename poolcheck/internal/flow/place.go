package flow

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// A context is a call whose callee is run in the state of its caller, inside of
// other such calls. A nil context is that of the function explored.
type context struct {
	outer    *context
	instr    ssa.CallInstruction
	fn       *ssa.Function // that runs
	deferred bool
	loop     bool // the call may be made again while the explored function runs
	id       int  // from 1
	depth    int
}

// A contextKey tells contexts apart.
type contextKey struct {
	outer    *context
	instr    ssa.CallInstruction
	fn       *ssa.Function
	deferred bool
}

// within reports whether x is y or inside of it.
func (x *context) within(y *context) bool {
	for ; x != nil; x = x.outer {
		if x == y {
			return true
		}
	}
	return false
}

// enter returns the context of a call of fn by instr in the present one.
func (e *explorer) inner(instr ssa.CallInstruction, fn *ssa.Function, deferred bool) *context {
	k := contextKey{e.in, instr, fn, deferred}
	if x := e.contexts[k]; x != nil {
		return x
	}
	x := &context{outer: e.in, instr: instr, fn: fn, deferred: deferred, id: len(e.contexts) + 1, depth: 1}
	if e.in != nil {
		x.depth += e.in.depth
		x.loop = e.in.loop
	}
	if b := instr.Block(); b != nil {
		x.loop = x.loop || e.shape(b.Parent()).loops[b.Index]
	}
	e.contexts[k] = x
	return x
}

// running reports whether fn is being run.
func (e *explorer) running(fn *ssa.Function) bool {
	for x := e.in; x != nil; x = x.outer {
		if x.fn == fn {
			return true
		}
	}
	return fn == e.fn
}

// depth returns the number of calls that are being run.
func (e *explorer) depth() int {
	if e.in == nil {
		return 0
	}
	return e.in.depth
}

// A place is where something happens: an instruction, in a context.
type place struct {
	pos   token.Pos
	instr ssa.Instruction
	in    *context
}

var nowhere place

func (p place) valid() bool { return p.pos.IsValid() }

// at returns the place of an instruction that runs now.
func (e *explorer) at(instr ssa.Instruction) place { return place{e.pos(instr), instr, e.in} }

// made returns the place where the register or input r is made.
func (e *explorer) made(r ssa.Value) place {
	if instr, ok := r.(ssa.Instruction); ok {
		return place{r.Pos(), instr, e.in}
	}
	return place{pos: r.Pos(), in: e.in}
}

// appendTo appends a form of p that tells it from every other place.
func (p place) appendTo(b []byte) []byte {
	b = appendNumber(b, ',', int(p.pos))
	if p.in != nil {
		b = appendNumber(b, '@', p.in.id)
	}
	return b
}

// chain returns the places on the way to p: the calls, outermost first, and p
// itself.
func (p place) chain() []place {
	var chain []place
	for x := p.in; x != nil; x = x.outer {
		chain = append(chain, place{x.instr.Pos(), x.instr, x.outer})
	}
	for i, j := 0, len(chain)-1; i < j; i, j = i+1, j-1 {
		chain[i], chain[j] = chain[j], chain[i]
	}
	return append(chain, p)
}

// meet returns how many calls the places have in common: there, in one function,
// they come together. If ordered is set, a comes before b.
func meet(a, b place, ordered bool) int {
	as, bs := a.chain(), b.chain()
	n := 0
	for n < len(as)-1 && n < len(bs)-1 && as[n].instr == bs[n].instr {
		n++
	}
	// A call that is made again has nothing in common with the first time.
	for ; n > 0 && ordered && !follows(as[n].instr, bs[n].instr); n-- {
	}
	return n
}

// follows reports whether b may run after a in one run of their function.
func follows(a, b ssa.Instruction) bool {
	if a == nil || b == nil || a.Block() == nil || b.Block() == nil || a.Parent() != b.Parent() {
		return true
	}
	for _, instr := range []ssa.Instruction{a, b} {
		if _, late := instr.(*ssa.Defer); late {
			return true
		}
	}
	if a.Block() != b.Block() {
		return reaches(a.Block(), b.Block())
	}
	for _, instr := range a.Block().Instrs {
		if instr == a {
			return true
		}
		if instr == b {
			return reaches(a.Block(), b.Block())
		}
	}
	return true
}

// seenFrom returns p as it shows in the context x, which it is within.
func (p place) seenFrom(x *context) place {
	for _, q := range p.chain() {
		if q.in == x {
			return q
		}
	}
	return p
}

// deferred reports whether p is a deferred call, or in one.
func (p place) deferred() bool {
	for _, q := range p.chain() {
		if _, late := q.instr.(*ssa.Defer); late {
			return true
		}
	}
	return false
}

// inItsLoop returns p as it shows in the innermost function with a loop around it.
func (p place) inItsLoop() place {
	chain := p.chain()
	for n := len(chain) - 1; n >= 0; n-- {
		if instr := chain[n].instr; instr != nil && reaches(instr.Block(), instr.Block()) {
			return chain[n]
		}
	}
	return p
}

// level returns p as it shows in the function that n of its calls lead to. What
// happens in a deferred literal, or one that a goroutine runs, shows there: it
// stands in the function.
func (p place) level(n int) place {
	chain := p.chain()
	for n < len(chain)-1 && !chain[n].pos.IsValid() {
		n++ // a wrapper
	}
	for n < len(chain)-1 {
		_, called := chain[n].instr.(*ssa.Call)
		if called || chain[n+1].in.fn.Parent() != chain[n].instr.Parent() {
			break
		}
		n++
	}
	return chain[min(n, len(chain)-1)]
}
