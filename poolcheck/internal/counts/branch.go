package counts

import (
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// branch brings s behind a condition, to one block or to both.
func (r *runner) branch(s *state, i *ssa.If) []visit {
	b := i.Block()
	list, ranges := r.rangedOver(s, i)
	var out []visit
	yes, no := s, s.copy()
	switch {
	case ranges && list.known == isNil:
		yes = nil
	case ranges && list.thing != nil && !s.entered[b] && s.fills(list.thing):
		no = nil // there are elements that matter
	}
	if ranges && yes != nil {
		yes.entered[b] = true
	}
	if ranges && no != nil {
		delete(no.entered, b)
		for e := range no.done {
			if e.list == list.thing {
				delete(no.done, e)
			}
		}
	}
	if yes != nil && (ranges || r.learn(yes, i.Cond, true)) {
		out = append(out, visit{b.Succs[0], b, yes})
	}
	if no != nil && (ranges || r.learn(no, i.Cond, false)) {
		out = append(out, visit{b.Succs[1], b, no})
	}
	return out
}

// rangedOver returns the list that i ends a loop over.
func (r *runner) rangedOver(s *state, i *ssa.If) (value, bool) {
	below, ok := i.Cond.(*ssa.BinOp)
	if !ok || below.Op != token.LSS {
		return value{}, false
	}
	list := r.lengthOf(s, below.Y)
	return list, list.thing != nil || list.known == isNil
}

// lengthOf returns the list whose length x is.
func (r *runner) lengthOf(s *state, x ssa.Value) value {
	call, ok := x.(*ssa.Call)
	if !ok {
		return value{}
	}
	builtin, ok := call.Call.Value.(*ssa.Builtin)
	if !ok || builtin.Name() != "len" || !r.isList(call.Call.Args[0].Type()) {
		return value{}
	}
	return r.value(s, call.Call.Args[0])
}

func isZero(x ssa.Value) bool {
	c, ok := x.(*ssa.Const)
	return ok && c.Value != nil && c.Value.ExactString() == "0"
}

// learn takes over into s that the condition x is true, or false. It reports whether it may be.
func (r *runner) learn(s *state, x ssa.Value, truth bool) bool {
	v := r.value(s, x)
	switch v.known {
	case isTrue:
		return truth
	case isFalse:
		return !truth
	}
	want := isFalse
	if truth {
		want = isTrue
	}
	if v.first != nil {
		if f := s.facts[v.first]; f == isTrue || f == isFalse {
			return f == want
		}
		s.facts[v.first] = want
	}
	switch x := v.first.(type) {
	case *ssa.UnOp:
		if x.Op == token.NOT {
			return r.learn(s, x.X, !truth)
		}
	case *ssa.BinOp:
		if list := r.lengthOf(s, x.X); list.thing != nil && s.holdings[list.thing].n > 0 && isZero(x.Y) && (x.Op == token.EQL || x.Op == token.NEQ || x.Op == token.GTR) {
			return truth == (x.Op != token.EQL) // it has an element
		}
		if x.Op != token.EQL && x.Op != token.NEQ {
			return true
		}
		equal := (x.Op == token.EQL) == truth
		a, b := r.value(s, x.X), r.value(s, x.Y)
		switch {
		case b.known == isNil:
			return r.learnNil(s, a, equal)
		case a.known == isNil:
			return r.learnNil(s, b, equal)
		case equal && isError(x.X.Type()):
			return r.learnNil(s, a, false) // it is one of the errors that have names
		}
	case *ssa.Call:
		fn := x.Call.StaticCallee()
		if truth && fn != nil && (fn.String() == "errors.Is" || fn.String() == "errors.As") {
			return r.learnNil(s, r.value(s, x.Call.Args[0]), false)
		}
	case *ssa.Extract:
		call, ok := x.Tuple.(*ssa.Call)
		if !ok {
			break
		}
		k := r.contractOf(&call.Call)
		if truth == (k != nil && k.Empty == x.Index+1) {
			r.fail(s, x)
		}
	}
	return true
}

// learnNil takes over into s that v is nil, or that it is not. It reports whether it may be.
func (r *runner) learnNil(s *state, v value, null bool) bool {
	if known := s.nilness(v); known != anything {
		return (known == isNil) == null
	}
	want := nonNil
	if null {
		want = isNil
	}
	if v.first != nil {
		s.facts[v.first] = want
	}
	switch {
	case v.thing == nil:
	case null && v.element:
		s.update(v.thing, func(h *holding) { h.n = min(h.n, 0) })
	case null:
		s.update(v.thing, func(h *holding) { h.n, h.void = 0, true })
	}
	if x, ok := v.first.(*ssa.Extract); ok && !null && isError(x.Type()) {
		r.fail(s, x)
	}
	return true
}

// nilness returns isNil or nonNil if v is known to be that.
func (s *state) nilness(v value) fact {
	if v.known == isNil || v.known == nonNil {
		return v.known
	}
	if f := s.facts[v.first]; v.first != nil && (f == isNil || f == nonNil) {
		return f
	}
	return anything
}

// fail takes over into s that the call that x is a result of has failed: it gave no reference.
func (r *runner) fail(s *state, x *ssa.Extract) {
	for o, t := range r.things {
		if o.site == x.Tuple {
			s.update(t, func(h *holding) { h.n, h.void = 0, true })
		}
	}
}

// fills reports whether list has elements that matter.
func (s *state) fills(list *thing) bool {
	if s.holdings[list].n != 0 || isParameter(list) {
		return true
	}
	for _, h := range s.holdings {
		if h.listed == list {
			return true
		}
	}
	return false
}

func isParameter(t *thing) bool {
	_, ok := t.site.(*ssa.Parameter)
	return ok
}

// ofEach reports whether instr, which does something to an element of list, does it to all of
// them: it is in a loop over the list, and nothing but the question whether an element is nil
// comes between.
func (r *runner) ofEach(s *state, list *thing, instr ssa.Instruction) bool {
	for b := instr.Block(); b != nil && b.Idom() != nil; {
		b = b.Idom()
		i, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		if over, ranges := r.rangedOver(s, i); ranges {
			return over.thing == list
		}
		if c, ok := i.Cond.(*ssa.BinOp); !ok || !isNilConst(c.X) && !isNilConst(c.Y) {
			return false
		}
	}
	return false
}

// loopOf returns the block that begins each round of the loop that instr is in, and the block of
// instr if that is in none.
func loopOf(instr ssa.Instruction) *ssa.BasicBlock {
	for b := instr.Block().Idom(); b != nil; b = b.Idom() {
		for _, pred := range b.Preds {
			if b.Dominates(pred) && reaches(instr.Block(), pred, b) {
				return b
			}
		}
	}
	return instr.Block()
}

// reaches reports whether a path that leaves out the block without leads from a to b.
func reaches(a, b, without *ssa.BasicBlock) bool {
	seen := map[*ssa.BasicBlock]bool{without: true}
	todo := []*ssa.BasicBlock{a}
	for len(todo) > 0 {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if x == b {
			return true
		}
		if !seen[x] {
			seen[x] = true
			todo = append(todo, x.Succs...)
		}
	}
	return false
}

func isNilConst(x ssa.Value) bool {
	c, ok := x.(*ssa.Const)
	return ok && c.Value == nil
}
