package paths

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// A spot is a state that waits at a block, or was run there.
type spot struct {
	state   *domain.State
	waiting bool
}

// A junction has the states of a block, by their shapes.
type junction struct {
	spots map[uint64]*spot
	list  []*spot
}

// blurred is the key of the one spot for all states above MaxStates. No state has it as its shape but by chance, and then
// it knows less than it could.
const blurred = 0

// arrive adds s and reports whether the block has to run, for the first time or again: it need not where it has run with
// all that s knows. States of one shape share a spot, which keeps the facts that all of them have. Facts only
// ever become fewer, and blurred states less definite, so that loops come to an end.
func (j *junction) arrive(s *domain.State) bool {
	h := s.Shape()
	if len(j.list) >= MaxStates && j.spots[h] == nil {
		h = blurred
	}
	old := j.spots[h]
	switch {
	case old == nil:
		old = &spot{state: s}
		j.spots[h] = old
		j.list = append(j.list, old)
	case h == blurred:
		before := old.state.Shape()
		old.state.Blur(s)
		if !old.state.Meet(s) && old.state.Shape() == before {
			return false
		}
	case !old.state.Meet(s):
		return false
	}
	if old.waiting {
		return false
	}
	old.waiting = true
	return true
}

// Explore runs fn from its beginning, and returns how it ends.
func (r *Run) Explore(fn *ssa.Function) []Exit {
	r.fn = fn
	s := new(domain.State)
	var args []domain.Value
	for i, param := range fn.Params {
		var o *domain.Object
		v := domain.Value{}
		if ir.Carries(param.Type()) {
			o = r.Object(param, -1, domain.Input)
			o.Param = i
			v = domain.Of(o)
			s.Life.Set(o, domain.Life{})
		}
		r.Inputs = append(r.Inputs, o)
		args = append(args, v)
	}
	return r.body(fn, args, s)
}

// body runs fn in the state s and returns how it ends.
func (r *Run) body(fn *ssa.Function, args []domain.Value, s *domain.State) []Exit {
	sh := r.shapes[fn]
	if sh == nil {
		sh = ir.NewShape(fn)
		r.shapes[fn] = sh
	}
	r.running = append(r.running, fn)
	defer func() { r.running = r.running[:len(r.running)-1] }()
	for i, param := range fn.Params {
		Set(s, param, args[i])
	}
	outer := s.Defers // of the function that a literal runs in: they are not run where the literal returns
	s.Defers = nil
	blocks := make([]junction, len(fn.Blocks))
	exits := make(map[uint64]*Exit)
	var order []uint64
	var queue []*ssa.BasicBlock
	arrive := func(b *ssa.BasicBlock, s *domain.State) {
		// A register that nobody needs any more would keep states apart that are the same for all that follows, and make an object
		// look as if something led to it.
		for v := range s.Env.All() {
			if v.Parent() == fn && !sh.Live(b, v) {
				s.Env.Delete(v)
			}
		}
		if blocks[b.Index].spots == nil {
			blocks[b.Index].spots = make(map[uint64]*spot)
		}
		if blocks[b.Index].arrive(s) && !slices.Contains(queue, b) {
			queue = append(queue, b)
		}
	}
	arrive(fn.Blocks[0], s)
	for len(queue) > 0 && !r.TooMuch {
		// The first block in the order of the function: what leads to a block has run before it, except around a loop, so that
		// its states arrive together, and it runs once for them. The queue is as long as the function is wide.
		next := 0
		for i, b := range queue {
			if sh.Order[b] < sh.Order[queue[next]] {
				next = i
			}
		}
		b := queue[next]
		queue = slices.Delete(queue, next, next+1)
		// A copy of the list, since a block that leads to itself adds to it; what it adds waits for the next turn.
		for _, sp := range slices.Clone(blocks[b.Index].list) {
			if !sp.waiting {
				continue
			}
			sp.waiting = false
			if r.steps++; r.steps > maxSteps {
				r.TooMuch = true
				break
			}
			for _, end := range r.block(b, sp.state.Copy()) {
				if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
					x := r.leave(ret, end)
					x.State.Defers = outer
					// Ways that end at one return, with one shape and the same results, are one exit. Its facts of parameters, by which
					// callers rule an exit out, are those of all of them.
					h := x.State.Shape()*31 + uint64(b.Index) + hashResults(x.Results)
					if old := exits[h]; old != nil {
						old.State.Meet(x.State)
						for i, f := range x.In {
							if f != old.In[i] {
								old.In[i] = domain.Unknown
							}
						}
					} else {
						exits[h] = &x
						order = append(order, h)
					}
					continue
				}
				for i, succ := range b.Succs {
					t := end
					if i+1 < len(b.Succs) {
						t = end.Copy()
					}
					if t = r.follow(b, succ, t); t != nil {
						arrive(succ, t)
					}
				}
			}
		}
	}
	var all []Exit
	for _, h := range order {
		all = append(all, *exits[h])
	}
	return all
}

// hashResults returns a number that exits with the same results share, also with the same facts of them.
func hashResults(results []domain.Value) (h uint64) {
	for i, v := range results {
		h = h*131 + uint64(v.Fact)
		for _, ref := range v.Refs {
			h = h*131 + uint64(ref.Obj.ID)*7 + uint64(ref.Rel) + uint64(i)
		}
	}
	return h
}

// block runs the instructions of b except the last, and returns the states that come of it.
func (r *Run) block(b *ssa.BasicBlock, s *domain.State) []*domain.State {
	states := []*domain.State{s}
	for _, i := range b.Instrs {
		if _, ok := i.(*ssa.Phi); ok {
			continue // follow has set it
		}
		var next []*domain.State
		for _, s := range states {
			next = append(next, r.instr(s, i)...)
		}
		states = next
		if len(states) > MaxStates {
			r.TooMuch = true
			return nil
		}
	}
	return states
}

// follow returns the state in which succ begins if b goes on there, nil if it does not.
func (r *Run) follow(b, succ *ssa.BasicBlock, s *domain.State) *domain.State {
	if cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok && !r.assume(s, cond.Cond, succ == b.Succs[0]) {
		return nil
	}
	pred := slices.Index(succ.Preds, b)
	type assignment struct {
		phi *ssa.Phi
		v   domain.Value
	}
	var all []assignment // first, since phis may have each other as edges
	for _, i := range succ.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		all = append(all, assignment{phi, r.Value(s, phi.Edges[pred])})
	}
	for _, a := range all {
		Set(s, a.phi, a.v)
	}
	return s
}

// leave returns how the function ends.
func (r *Run) leave(ret *ssa.Return, s *domain.State) Exit {
	x := Exit{Return: ret, State: s}
	for _, v := range ret.Results {
		x.Results = append(x.Results, r.Value(s, v))
	}
	fn := ret.Parent()
	for _, param := range fn.Params {
		x.In = append(x.In, s.Env.Get(param).Fact)
	}
	for v := range s.Env.All() {
		if v.Parent() == fn {
			s.Env.Delete(v)
		}
	}
	return x
}
