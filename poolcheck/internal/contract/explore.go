package contract

import (
	"go/constant"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// An EventKind says what happens to an object.
type EventKind uint8

const (
	Uses     EventKind = iota // it is read or written
	Releases                  // it is released
	Keeps                     // a place outside of the function is made to show it
	Again                     // its place acquires another, and nothing leads to it any more
)

// An Event is something that happens to an object.
type Event struct {
	Kind EventKind
	Ref  domain.Ref
	At   ssa.Instruction
	Life domain.Life // before
	// By is At, or if that is a deferred call the instruction in the deferred function.
	By ssa.Instruction
}

// An Exit is one way in which a function returns.
type Exit struct {
	Return  *ssa.Return
	State   *domain.State
	Results []domain.Value
	In      []domain.Fact // of the parameters
}

// A Trace is what an exploration of a function has found.
type Trace struct {
	Events  []Event
	Exits   []Exit // of a function that is pooling
	Summary *Summary
}

// Limits of an exploration, above which the function is given up: nothing is said of it, and its
// callers know nothing of what it does.
const (
	maxBlocks = 250  // of the function
	maxStates = 16   // at a block, before they are blurred
	maxSteps  = 4000 // blocks that are run
	maxDepth  = 4    // literals that run inside of each other
)

// A run is the exploration of one function, and of the literals that run inside of it.
type run struct {
	p       *Package
	fn      *ssa.Function
	objects map[place]*domain.Object
	inputs  []*domain.Object // of the parameters, nil for those that lead nowhere
	loans   map[loan]*domain.Loan
	events  map[eventKey]int
	list    []Event
	steps   int
	tooMuch bool
	running []*ssa.Function
	dirty   bool // memory that the function was given was written, or may have been
	selects bool // it may have asked whether a channel is ready
	used    map[*domain.Object]bool
	// deferred is the deferred call, or the go statement, that calls what runs.
	deferred ssa.Instruction
	mute     int // whether what is run is only tried
}

type place struct {
	site ssa.Value
	what int // a result, or -1 for a place that is none
}

type loan struct {
	key  any
	next *domain.Loan
}

type eventKey struct {
	kind EventKind
	obj  *domain.Object
	at   ssa.Instruction
}

// Trace explores fn, once. It returns nil while that goes on, and if fn is too much.
func (p *Package) Trace(fn *ssa.Function) *Trace {
	if t, ok := p.traces[fn]; ok {
		return t
	}
	if p.busy[fn] || len(fn.Blocks) == 0 || len(fn.Blocks) > maxBlocks {
		return nil
	}
	p.busy[fn] = true
	r := &run{
		p: p, fn: fn, objects: make(map[place]*domain.Object), loans: make(map[loan]*domain.Loan),
		events: make(map[eventKey]int), used: make(map[*domain.Object]bool),
	}
	s := new(domain.State)
	var args []domain.Value
	for i, param := range fn.Params {
		var o *domain.Object
		v := domain.Value{}
		if ir.Carries(param.Type()) {
			o = r.object(param, -1, domain.Input)
			o.Param = i
			v = domain.Of(o)
			s.Life.Set(o, domain.Life{})
		}
		r.inputs = append(r.inputs, o)
		args = append(args, v)
	}
	exits := r.body(fn, args, s)
	delete(p.busy, fn)
	var t *Trace
	if !r.tooMuch {
		t = &Trace{Events: r.list, Summary: r.summarize(exits)}
		if p.pooling[fn] {
			t.Exits = exits
		}
	}
	p.traces[fn] = t
	return t
}

// object returns the object of a place.
func (r *run) object(site ssa.Value, what int, kind domain.Kind) *domain.Object {
	k := place{site, what}
	o := r.objects[k]
	if o == nil {
		o = &domain.Object{ID: len(r.objects), Kind: kind, Site: site, Type: site.Type(), Pos: site.Pos(), Param: -1}
		if what >= 0 {
			o.Type = site.Type().(*types.Tuple).At(what).Type()
		}
		r.objects[k] = o
	}
	return o
}

// note records an event.
func (r *run) note(e Event) {
	if r.mute > 0 {
		return
	}
	if e.By = e.At; r.deferred != nil {
		e.At = r.deferred
	}
	k := eventKey{e.Kind, e.Ref.Obj, e.At}
	if i, ok := r.events[k]; ok {
		// A later state knows less. What it knows of the object counts.
		r.list[i] = e
		return
	}
	r.events[k] = len(r.list)
	r.list = append(r.list, e)
}

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

// arrive adds s and reports whether the block has to run.
func (j *junction) arrive(s *domain.State) bool {
	h := s.Shape()
	if len(j.list) >= maxStates && j.spots[h] == nil {
		h = 0 // the states that are more than that are blurred
	}
	old := j.spots[h]
	switch {
	case old == nil:
		old = &spot{state: s}
		j.spots[h] = old
		j.list = append(j.list, old)
	case h == 0:
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

// body runs fn in the state s and returns how it ends.
func (r *run) body(fn *ssa.Function, args []domain.Value, s *domain.State) []Exit {
	sh := r.p.shape(fn)
	r.running = append(r.running, fn)
	defer func() { r.running = r.running[:len(r.running)-1] }()
	for i, param := range fn.Params {
		set(s, param, args[i])
	}
	outer := s.Defers
	s.Defers = nil
	blocks := make([]junction, len(fn.Blocks))
	exits := make(map[uint64]*Exit)
	var order []uint64
	var queue []*ssa.BasicBlock
	arrive := func(b *ssa.BasicBlock, s *domain.State) {
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
	for len(queue) > 0 && !r.tooMuch {
		next := 0
		for i, b := range queue {
			if sh.Order[b] < sh.Order[queue[next]] {
				next = i
			}
		}
		b := queue[next]
		queue = slices.Delete(queue, next, next+1)
		for _, sp := range slices.Clone(blocks[b.Index].list) {
			if !sp.waiting {
				continue
			}
			sp.waiting = false
			if r.steps++; r.steps > maxSteps {
				r.tooMuch = true
				break
			}
			for _, end := range r.block(b, sp.state.Copy()) {
				if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
					x := r.leave(ret, end)
					x.State.Defers = outer
					h := x.State.Shape()*31 + uint64(b.Index) + hashResults(x.Results)
					if old := exits[h]; old != nil {
						old.State.Meet(x.State)
						for i, f := range x.In {
							if f != old.In[i] {
								old.In[i] = domain.Unknown
							}
						}
						for i, v := range x.Results {
							if v.Fact != old.Results[i].Fact {
								old.Results[i].Fact = domain.Unknown
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
func (r *run) block(b *ssa.BasicBlock, s *domain.State) []*domain.State {
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
		if len(states) > maxStates {
			r.tooMuch = true
			return nil
		}
	}
	return states
}

// follow returns the state in which succ begins if b goes on there, nil if it does not.
func (r *run) follow(b, succ *ssa.BasicBlock, s *domain.State) *domain.State {
	if cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
		if b.Succs[0] == b.Succs[1] {
			return nil
		}
		if !r.assume(s, cond.Cond, succ == b.Succs[0]) {
			return nil
		}
	}
	var pred int
	for i, p := range succ.Preds {
		if p == b {
			pred = i
		}
	}
	type assignment struct {
		phi *ssa.Phi
		v   domain.Value
	}
	var all []assignment
	for _, i := range succ.Instrs {
		phi, ok := i.(*ssa.Phi)
		if !ok {
			break
		}
		all = append(all, assignment{phi, r.value(s, phi.Edges[pred])})
	}
	for _, a := range all {
		set(s, a.phi, a.v)
	}
	return s
}

// leave returns how the function ends.
func (r *run) leave(ret *ssa.Return, s *domain.State) Exit {
	x := Exit{Return: ret, State: s}
	for _, v := range ret.Results {
		x.Results = append(x.Results, r.value(s, v))
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

// set gives a register its value.
func set(s *domain.State, reg ssa.Value, v domain.Value) {
	if v.Empty() {
		s.Env.Delete(reg)
	} else {
		s.Env.Set(reg, v)
	}
}

// value returns what is known of v.
func (r *run) value(s *domain.State, v ssa.Value) domain.Value {
	switch v := v.(type) {
	case *ssa.Const:
		switch {
		case v.IsNil():
			return domain.Value{Fact: domain.Nil}
		case v.Value != nil && types.Identical(v.Type().Underlying(), types.Typ[types.Bool]):
			return domain.Value{Fact: truth(constant.BoolVal(v.Value))}
		case v.Value != nil && v.Value.Kind() == constant.Int && v.Int64() >= 0 && v.Int64() < 100:
			return domain.Value{Fact: domain.Case + domain.Fact(v.Int64())}
		}
		return domain.Value{}
	case *ssa.Global:
		o := r.object(v, -1, domain.Input)
		return domain.Of(o)
	case *ssa.FreeVar:
		if val, ok := s.Env.Lookup(v); ok {
			return val
		}
		return domain.Of(r.object(v, -1, domain.Input))
	case *ssa.Function:
		return domain.Value{Fact: domain.NonNil}
	}
	return s.Env.Get(v)
}
