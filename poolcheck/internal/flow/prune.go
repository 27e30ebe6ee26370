package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

func (p *Package) shape(fn *ssa.Function) *shape {
	if sh := p.shapes[fn]; sh != nil {
		return sh
	}
	n := len(fn.Blocks)
	sh := &shape{live: make([]map[ssa.Value]bool, n), loops: make([]bool, n)}
	gen := make([]map[ssa.Value]bool, n)
	kill := make([]map[ssa.Value]bool, n)
	for i, b := range fn.Blocks {
		gen[i], kill[i] = make(map[ssa.Value]bool), make(map[ssa.Value]bool)
		sh.live[i] = make(map[ssa.Value]bool)
		for _, instr := range b.Instrs {
			// A phi is set on the edge into the block, so that it is live at
			// the block's start and its operands are not.
			if phi, ok := instr.(*ssa.Phi); ok {
				gen[i][phi] = true
				continue
			}
			read := func(v ssa.Value) {
				if !kill[i][v] {
					gen[i][v] = true
				}
			}
			for _, op := range instr.Operands(nil) {
				if *op != nil {
					read(*op)
				}
			}
			if branch, ok := instr.(*ssa.If); ok {
				sized(branch.Cond, 0, func(r ssa.Value, _ bool) { // see judgeSize
					read(r)
					if load, ok := r.(*ssa.UnOp); ok {
						read(load.X)
					}
				})
				if _, st := chosen(branch.Cond); st != nil { // see selected
					read(st.Chan)
					if st.Send != nil {
						read(st.Send)
					}
				}
			}
			if v, ok := instr.(ssa.Value); ok {
				kill[i][v] = true
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for i := n - 1; i >= 0; i-- {
			b, live := fn.Blocks[i], sh.live[i]
			before := len(live)
			for v := range gen[i] {
				live[v] = true
			}
			for _, succ := range b.Succs {
				for v := range sh.live[succ.Index] {
					if phi, ok := v.(*ssa.Phi); ok && phi.Block() == succ {
						continue
					}
					if !kill[i][v] {
						live[v] = true
					}
				}
				for _, instr := range succ.Instrs {
					phi, ok := instr.(*ssa.Phi)
					if !ok {
						break
					}
					for e, pred := range succ.Preds {
						if pred == b && !kill[i][phi.Edges[e]] {
							live[phi.Edges[e]] = true
						}
					}
				}
			}
			changed = changed || len(live) != before
		}
	}
	for i, b := range fn.Blocks {
		sh.loops[i] = reaches(b, b)
	}
	sh.order = reversePostorder(fn)
	sh.after = postdominators(fn)
	sh.rewritten = rewritten(fn)
	p.shapes[fn] = sh
	return sh
}

// prune drops from s what nothing can read any more, so that paths that differ
// only in that meet.
func (e *explorer) prune(sh *shape, b *ssa.BasicBlock, s *state) {
	readable := sh.live[b.Index]
	for r := range s.env {
		if r.Parent() == b.Parent() && !readable[r] {
			delete(s.env, r)
		}
	}
	e.sweep(s, readable, value{}, place{instr: b.Instrs[0], in: e.in})
}

// sweep drops from s what no register, deferred call or input leads to, nor also.
// Memory that was to be released is then lost, at the place at. Of registers that
// hold their own objects, those of readable count.
func (e *explorer) sweep(s *state, readable map[ssa.Value]bool, also value, at place) {
	cells := make(map[*object][]value)
	uses := make(map[*object]int)
	for c, v := range s.mem {
		cells[c.obj] = append(cells[c.obj], v)
	}
	reached := make(map[*object]bool)
	var mark func(o *object)
	mark = func(o *object) {
		uses[o]++
		if reached[o] {
			return
		}
		reached[o] = true
		if o.parent != nil {
			mark(o.parent)
		}
		for _, v := range cells[o] {
			for _, x := range v.all() {
				mark(x.obj)
			}
		}
		for _, l := range s.status[o].lent {
			if !l.unknown || isFunction(o.typ) {
				continue // no release will tell what the call did
			}
			for _, r := range l.results {
				mark(r)
			}
		}
		for _, t := range s.status[o].tasks {
			for _, c := range t.channels {
				mark(c)
			}
		}
	}
	base := func(o *object) {
		root := o.root()
		if root.kind == inputObject || root.kind == globalObject {
			mark(o)
		}
		// A register that was never assigned anything else holds its own object.
		if r := o.site; r != nil && o.part == "" && o.age == 0 && (o.in == e.in && readable[r] || e.calling(o.in)) {
			if _, assigned := s.env[r]; !assigned {
				mark(o)
			}
		}
	}
	for o := range cells {
		base(o)
	}
	for o, st := range s.status {
		base(o)
		for _, x := range st.escapes {
			// What the place shows is looked at in the end. Pooled memory lives on in
			// pooled memory, which nothing else lives in.
			if x.cell.obj != nil && (x.cell.obj.root().acq == nil || o.root().acq != nil) {
				mark(x.cell.obj)
			}
		}
	}
	for o := range s.known {
		base(o)
	}
	for _, v := range s.env {
		for _, x := range v.all() {
			mark(x.obj)
		}
	}
	for _, x := range also.all() {
		mark(x.obj)
	}
	for _, p := range s.defers {
		for _, x := range p.call.fun.all() {
			mark(x.obj)
		}
		for _, a := range p.call.args {
			for _, x := range a.all() {
				mark(x.obj)
			}
		}
	}
	for o := range s.status {
		if o.inMessage() {
			if base(o.parent); reached[o.parent] {
				mark(o)
			}
		}
	}
	for c, v := range s.mem {
		if !reached[c.obj] {
			delete(s.mem, c)
			delete(s.stored, c)
			continue
		}
		// Nobody can tell one unknown value from another.
		if o := v.identity(); o != nil && len(v.refs) == 1 && uses[o] == 1 && len(cells[o]) == 0 && !s.stored[c] && s.plain(o) {
			if o.parent == c.obj && o.path == c.path && !s.mem[cell{c.obj, "*"}].stale {
				delete(s.mem, c)
			} else {
				s.mem[c] = value{stale: true}
			}
		}
	}
	if at.instr != nil {
		e.forgetErrors(s, at.instr.Parent(), uses, reached)
	}
	for _, o := range sortedObjects(s.status) {
		if reached[o] {
			continue
		}
		if s.lost(o, s.status[o]) {
			e.leak(s, o, at)
		}
		e.strand(o, s.status[o])
		// The rest can do no more harm, unless it was stored nobody knows where.
		if st := s.status[o]; st.phase != released || !slices.ContainsFunc(st.escapes, anywhere) {
			delete(s.status, o)
		}
	}
	for o := range s.known {
		if !reached[o] {
			delete(s.known, o)
		}
	}
}

// forgetErrors makes the errors that registers of fn hold, and nothing else leads to,
// objects of these registers: which call has failed does not matter any more.
func (e *explorer) forgetErrors(s *state, fn *ssa.Function, uses map[*object]int, reached map[*object]bool) {
	for r, v := range s.env {
		if r.Parent() != fn || !isError(r.Type()) {
			continue
		}
		o, own := v.identity(), e.site(r)
		if o == nil || o.kind != unknownObject || own == o || uses[o] != 1 || uses[own] > 0 || !s.unmarked(o) {
			continue
		}
		delete(s.env, r)
		delete(s.known, own)
		if k, ok := s.known[o]; ok {
			s.known[own] = k
		}
		reached[o], reached[own] = false, true
	}
}

func isFunction(t types.Type) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// plain reports whether nothing is known of o, which was loaded from somewhere.
func (s *state) plain(o *object) bool {
	_, known := s.known[o]
	return (o.kind == unknownObject || o.kind == contentObject) && !known && s.unmarked(o)
}

// unmarked reports whether nothing has happened to o.
func (s *state) unmarked(o *object) bool {
	st := s.status[o]
	return st.phase == live && !st.owned && len(st.tasks) == 0 && len(st.escapes) == 0 &&
		st.owners == 0 && !st.many && !st.judged
}

func (o *object) root() *object {
	for o.parent != nil {
		o = o.parent
	}
	return o
}

// calling reports whether the context x waits for what is run now.
func (e *explorer) calling(x *context) bool {
	for in := e.in; in != nil; {
		if in = in.outer; in == x {
			return true
		}
	}
	return false
}
