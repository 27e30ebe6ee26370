package flow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// rangeLoop returns the block that a loop over all elements of a slice begins every
// round with, and the slice, if addr is the element of its round; nil otherwise. The
// loop is a range, or counts the index from 0 up to the length.
func rangeLoop(addr *ssa.IndexAddr) (head *ssa.BasicBlock, list ssa.Value) {
	switch i := addr.Index.(type) {
	case *ssa.BinOp:
		if phi, ok := i.X.(*ssa.Phi); !ok || i.Op != token.ADD || phi.Comment != "rangeindex" {
			return nil, nil
		}
		head = i.Block()
	case *ssa.Phi:
		if !countsUp(i) {
			return nil, nil
		}
		head = i.Block()
	default:
		return nil, nil
	}
	list, index := rangedOver(head)
	if list == nil || index != addr.Index || !sameBase(list, addr.X) {
		return nil, nil
	}
	return head, list
}

// rangedOver returns the slice whose length the loop that begins with head compares an
// index with, and the index; nil if it does something else.
func rangedOver(head *ssa.BasicBlock) (list, index ssa.Value) {
	last, ok := head.Instrs[len(head.Instrs)-1].(*ssa.If)
	if !ok {
		return nil, nil
	}
	below, ok := last.Cond.(*ssa.BinOp)
	if !ok || below.Op != token.LSS {
		return nil, nil
	}
	length, ok := below.Y.(*ssa.Call)
	if !ok || !isBuiltinCall(length, "len") {
		return nil, nil
	}
	return length.Call.Args[0], below.X
}

// countsUp reports whether i begins at 0 and grows by 1 in each round.
func countsUp(i *ssa.Phi) bool {
	for _, edge := range i.Edges {
		switch x := edge.(type) {
		case *ssa.Const:
			if !isInteger(x.Type()) || x.Int64() != 0 {
				return false
			}
		case *ssa.BinOp:
			one, ok := x.Y.(*ssa.Const)
			if !ok || x.Op != token.ADD || x.X != i || one.Int64() != 1 {
				return false
			}
		default:
			return false
		}
	}
	return true
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
			if head, list := rangeLoop(addr); head != nil && everyRound(head, b) {
				if out == nil {
					out = make(map[*ssa.BasicBlock][]ssa.Value)
				}
				out[head] = append(out[head], list)
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
	refs []ref
	at   place
}

// listOf returns the slice that r was read from.
func (e *explorer) listOf(s *state, r ssa.Value) []ref {
	if addr, ok := loaded(r).(*ssa.IndexAddr); ok {
		return e.value(s, addr.X).refs
	}
	return nil
}

// isPart reports whether r is a slice of which something was cut off.
func isPart(r ssa.Value) bool {
	cut, ok := r.(*ssa.Slice)
	return ok && (cut.High != nil || cut.Low != nil && !isNumber(cut.Low, 0))
}

// releasesEach notes that the element r of list is released at the place at. If r
// is the element of a round of a range loop, each of which comes by there, all
// elements are released when the loop ends.
func (e *explorer) releasesEach(s *state, r ssa.Value, list []ref, at place) {
	addr, ok := loaded(r).(*ssa.IndexAddr)
	if !ok || at.instr == nil {
		return
	}
	head, ranged := rangeLoop(addr)
	if head == nil || isPart(ranged) || at.instr.Parent() != head.Parent() || !everyRound(head, at.instr.Block()) {
		e.unlist(s, []ref{{rel: holds}})
	} else if at.deferred() {
		e.deferredEach[head] = list
	} else {
		e.goneSlices[head] = goneSlice{list, at}
	}
}

// endRange records what the loop that begins with head has done to every element of
// the slice that it ranges over.
func (e *explorer) endRange(sh *shape, s *state, head *ssa.BasicBlock) {
	for _, r := range sh.rewritten[head] {
		e.replace(s, r)
	}
	for _, x := range e.deferredEach[head] {
		e.frees[e.young(x.obj)]++
		s.update(x.obj, func(st *status) { st.owned = false })
	}
	g, ok := e.goneSlices[head]
	if !ok || g.at.in != e.in {
		return
	}
	for _, x := range g.refs {
		if x.rel != whole || x.path != "" || slices.ContainsFunc(e.elementStores[x.obj], func(b *ssa.BasicBlock) bool { return inLoop(head, b) }) {
			continue
		}
		e.frees[e.young(x.obj)]++
		s.update(x.obj, func(st *status) { st.each, st.loop = g.at, head })
	}
}

// element returns what a load of an element of o shows if all have been released; the
// loop that does it is still at work on those of its own rounds.
func (e *explorer) element(s *state, o *object, r ssa.Value) (value, bool) {
	st := s.status[o]
	load, ok := r.(ssa.Instruction)
	if !st.each.valid() || !ok || st.loop != nil && st.each.in == e.in && inLoop(st.loop, load.Block()) {
		return value{}, false
	}
	x := e.site(r)
	s.update(x, func(to *status) { *to = status{phase: released, at: st.each} })
	return to(x), true
}
