package flow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// rangeLoop returns the block that a range loop over the slice of addr begins
// every round with, if addr is the element of its round; nil otherwise.
func rangeLoop(addr *ssa.IndexAddr) *ssa.BasicBlock {
	next, ok := addr.Index.(*ssa.BinOp)
	if !ok || next.Op != token.ADD {
		return nil
	}
	if phi, ok := next.X.(*ssa.Phi); !ok || phi.Comment != "rangeindex" {
		return nil
	}
	head := next.Block()
	last, ok := head.Instrs[len(head.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	below, ok := last.Cond.(*ssa.BinOp)
	if !ok || below.Op != token.LSS || below.X != next {
		return nil
	}
	if length, ok := below.Y.(*ssa.Call); !ok || length.Call.Args[0] != addr.X {
		return nil
	}
	return head
}

// everyRound reports whether each round of the loop that begins with head runs b.
func everyRound(head, b *ssa.BasicBlock) bool {
	for _, latch := range head.Preds {
		if head.Dominates(latch) && !b.Dominates(latch) {
			return false
		}
	}
	return head.Dominates(b)
}

// rewritten returns the slices of fn all of whose elements a range loop stores to,
// by the block that ends the loop.
func rewritten(fn *ssa.Function) map[*ssa.BasicBlock][]ssa.Value {
	var out map[*ssa.BasicBlock][]ssa.Value
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			store, ok := instr.(*ssa.Store)
			if !ok || !carries(store.Val.Type()) {
				continue
			}
			addr, ok := store.Addr.(*ssa.IndexAddr)
			if !ok {
				continue
			}
			if head := rangeLoop(addr); head != nil && everyRound(head, b) {
				if out == nil {
					out = make(map[*ssa.BasicBlock][]ssa.Value)
				}
				out[head] = append(out[head], addr.X)
			}
		}
	}
	return out
}

// replace forgets what the elements of the slice r were before a loop stored to
// all of them.
func (e *explorer) replace(s *state, r ssa.Value) {
	list := e.value(s, r).identity()
	if list == nil {
		return
	}
	empty := func(v value) value {
		if v.identity() == list {
			v.refs = v.refs[:1:1]
		}
		return v
	}
	for r, v := range s.env {
		s.env[r] = empty(v)
	}
	for c, v := range s.mem {
		s.mem[c] = empty(v)
	}
	delete(s.mem, cell{list, "[]"})
}

// inLoop reports whether b is in the loop that begins with head.
func inLoop(head, b *ssa.BasicBlock) bool {
	return b.Parent() == head.Parent() && head.Dominates(b) && reaches(b, head)
}

// A gone slice is one whose elements a range loop has all released.
type goneSlice struct {
	slice ssa.Value
	at    place
}

// releasesEach notes that the element r of a slice is released at the place at. If r
// is the element of a round of a range loop, each of which comes by there, all
// elements are released when the loop ends.
func (e *explorer) releasesEach(r ssa.Value, at place) {
	load, ok := r.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return
	}
	addr, ok := load.X.(*ssa.IndexAddr)
	if !ok || at.instr == nil || at.deferred() {
		return
	}
	if head := rangeLoop(addr); head != nil && at.instr.Parent() == head.Parent() && everyRound(head, at.instr.Block()) {
		e.goneSlices[head] = goneSlice{addr.X, at}
	}
}

// endRange records what the loop that begins with head has done to every element of
// the slice that it ranges over.
func (e *explorer) endRange(sh *shape, s *state, head *ssa.BasicBlock) {
	for _, r := range sh.rewritten[head] {
		e.replace(s, r)
	}
	g, ok := e.goneSlices[head]
	if !ok || g.at.in != e.in {
		return
	}
	for _, x := range e.value(s, g.slice).refs {
		if x.rel != whole || x.path != "" || slices.ContainsFunc(e.elementStores[x.obj], func(b *ssa.BasicBlock) bool { return inLoop(head, b) }) {
			continue
		}
		s.update(x.obj, func(st *status) { st.each, st.loop = g.at, head })
	}
}

// element returns what a load of an element of o shows if all have been released; the
// loop that does it is still at work on those of its own rounds.
func (e *explorer) element(s *state, o *object, r ssa.Value) (value, bool) {
	st := s.status[o]
	load, ok := r.(ssa.Instruction)
	if !st.each.valid() || !ok || inLoop(st.loop, load.Block()) {
		return value{}, false
	}
	x := e.site(r)
	s.update(x, func(to *status) { *to = status{phase: released, at: st.each} })
	return to(x), true
}
