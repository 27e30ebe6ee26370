package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

const (
	// maxSteps bounds the work for one function: instructions times states.
	maxSteps = 60_000
	// maxRead bounds the sum of the sizes of the states that enter blocks of one
	// function: in functions of thousands of blocks, states are large.
	maxRead = 1_000_000
	// maxStates bounds the states that meet at one block.
	maxStates = 64
	// maxDepth bounds how deep functions are run inside of each other.
	maxDepth = 6
)

// An explorer runs one function.
type explorer struct {
	*Package
	fn      *ssa.Function
	objects map[objectKey]*object
	order   []*object
	ids     map[ssa.Value]int
	tasks   []*task
	jobs    map[*ssa.MakeClosure]*ssa.Go // which would run the literals that are sent over channels
	steps   int
	read    int
	tooMany bool
	crowded bool // states were blended
	shallow bool // declared functions are summarised, not run where they are called

	lendings []*lending
	proofs   map[*lending][]outcome // of paths that have released what was lent

	contexts map[contextKey]*context
	in       *context // the present one

	reports       []*Report
	leaks         map[*object][]leak
	frees         map[*object]int               // how often paths release an object, of whatever age
	several       map[*object]bool              // objects that some path releases as one of several
	goneSlices    map[*ssa.BasicBlock]goneSlice // by the block that begins each round
	deferredEach  map[*ssa.BasicBlock][]ref     // the same for loops that run in a deferred call
	elementStores map[*object][]*ssa.BasicBlock // where elements of slices are stored to
	counted       map[*object]bool              // objects that get references in a loop, one for each of its rounds
	left          map[*object]bool              // memory that some path leaves to others
	awaited       map[*object]bool              // memory that some path has sent, and releases after an answer
	lists         map[*object]bool              // objects of which some path releases, or gives away, elements
	returnedLists map[*ssa.CallCommon]bool      // acquisitions of which some path returns a list
	rightly       map[spot]bool                 // releases that put an object where it belongs
	own           map[place]bool                // releases of what the function has acquired itself
	used          map[string]bool               // inputs that are read or written
	touches       map[*object][]place           // where memory in fields of inputs is used
	replacing     map[*object]place             // where it gives way to memory from a pool
	handoffs      []handoff                     // what was used after it was sent
	handedOn      map[*object][]types.Object    // fields and channels that some path puts an object into
	removed       map[*object]types.Object      // what was removed from somewhere as a value of an interface type, and where it was
	doubted       map[*object]bool              // objects that a callee releases on some of its paths
	dynamic       bool                          // the present call is of a method or function that is not known
	opaque        bool                          // calls something unknown
	applying      bool                          // the stores of a summary, in whatever order with its releases
}

func newExplorer(p *Package, fn *ssa.Function) *explorer {
	return &explorer{
		Package:       p,
		fn:            fn,
		objects:       make(map[objectKey]*object),
		ids:           make(map[ssa.Value]int),
		jobs:          make(map[*ssa.MakeClosure]*ssa.Go),
		contexts:      make(map[contextKey]*context),
		leaks:         make(map[*object][]leak),
		frees:         make(map[*object]int),
		several:       make(map[*object]bool),
		goneSlices:    make(map[*ssa.BasicBlock]goneSlice),
		deferredEach:  make(map[*ssa.BasicBlock][]ref),
		elementStores: make(map[*object][]*ssa.BasicBlock),
		counted:       make(map[*object]bool),
		left:          make(map[*object]bool),
		awaited:       make(map[*object]bool),
		lists:         make(map[*object]bool),
		returnedLists: make(map[*ssa.CallCommon]bool),
		rightly:       make(map[spot]bool),
		proofs:        make(map[*lending][]outcome),
		own:           make(map[place]bool),
		used:          make(map[string]bool),
		touches:       make(map[*object][]place),
		replacing:     make(map[*object]place),
		handedOn:      make(map[*object][]types.Object),
		removed:       make(map[*object]types.Object),
		doubted:       make(map[*object]bool),
	}
}

// An exit is the end of one path through a function.
type exit struct {
	state   *state
	results []value
	ret     *ssa.Return
}

// A work is a state that waits to enter a block.
type work struct {
	block, from *ssa.BasicBlock
	state       *state
	key         key // of the state, where paths join
}

// A run is the exploration of one function from one state on. States wait at their
// blocks: those at the block that comes first go on first, so that paths have
// joined before they are followed further.
type run struct {
	shape   *shape
	waiting [][]work  // by the order of blocks
	seen    []meeting // by the index of blocks
	blends  []blend   // the same
	exits   []exit
	ended   map[key]int // indexes of exits, by their keys
}

// run follows every path of fn from s to its returns.
func (e *explorer) run(fn *ssa.Function, s *state) []exit {
	if len(fn.Blocks) == 0 {
		e.tooMany = true
		return nil
	}
	r := &run{e.shape(fn), make([][]work, len(fn.Blocks)), make([]meeting, len(fn.Blocks)), make([]blend, len(fn.Blocks)), nil, make(map[key]int)}
	e.arrive(r, work{block: fn.Blocks[0], state: s})
	for !e.tooMany {
		first := slices.IndexFunc(r.waiting, func(ws []work) bool { return len(ws) > 0 })
		if first < 0 {
			break
		}
		w := r.waiting[first][0]
		r.waiting[first] = r.waiting[first][1:]
		e.acquit(r.shape, w)
		next, ended := e.block(r.shape, w.block, w.state)
		for _, w := range next {
			e.arrive(r, w)
		}
		for _, x := range ended {
			e.depart(r, x)
		}
		if len(r.exits) > maxStates*2 {
			e.tooMany = true
		}
	}
	return r.exits
}

// acquit removes the marks on memory whose size, or a flag, has decided something
// else than whether it is released: the sides of the branch meet here, and none has
// released it.
func (e *explorer) acquit(sh *shape, w work) {
	for o, st := range w.state.status {
		if st.judged && st.judge != nil && st.judge.Parent() == w.block.Parent() && sh.meets(st.judge, w.block) && e.frees[e.young(o)] == st.judgedAt {
			w.state.update(o, func(st *status) { st.judged, st.judge = false, nil })
		}
	}
}

// arrive lets a state wait at its block, unless an earlier one covers it.
func (e *explorer) arrive(r *run, w work) {
	if e.read += w.state.size(); e.read > e.share(maxRead) {
		e.tooMany = true
		return
	}
	e.enter(w)
	e.prune(r.shape, w.block, w.state)
	at := &r.waiting[r.shape.order[w.block.Index]]
	if len(w.block.Preds) > 1 {
		seen := &r.seen[w.block.Index]
		if *seen == nil {
			*seen, r.blends[w.block.Index] = make(meeting), make(blend)
		}
		if len(*seen) > e.crowd() {
			if w.state = r.blends[w.block.Index].add(e, w.state); w.state == nil {
				return
			}
		}
		w.key = w.state.key(e)
		if !seen.add(w.key, w.state) {
			return
		}
		if len(r.blends[w.block.Index]) > maxStates {
			e.tooMany = true
		}
		*at = slices.DeleteFunc(*at, func(v work) bool { return v.key == w.key })
	}
	*at = append(*at, w)
}

// depart notes the end of a path.
func (e *explorer) depart(r *run, x exit) {
	for reg := range x.state.env {
		if reg.Parent() == x.ret.Parent() {
			delete(x.state.env, reg)
		}
	}
	var results value
	b := appendNumber(nil, 'b', x.ret.Block().Index)
	for _, v := range x.results {
		results = results.join(v.all())
		b = v.appendTo(append(b, '|'))
	}
	e.sweep(x.state, make(map[ssa.Value]bool), results, e.at(x.ret))
	x.settle()
	if len(r.exits) > e.crowd() {
		e.crowdOut(r, x)
		return
	}
	k := x.state.key(e)
	k.add(b)
	r.end(k, x, func(s, t *state) { s.join(t.facts()) })
}

// end adds x, whose key is k, to the exits, or to that before it which has the same key.
func (r *run) end(k key, x exit, add func(s, t *state)) {
	if i, ok := r.ended[k]; ok {
		add(r.exits[i].state, x.state)
		return
	}
	r.ended[k] = len(r.exits)
	r.exits = append(r.exits, x)
}

// enter gives the phis of a block their values.
func (e *explorer) enter(w work) {
	if w.from == nil {
		return
	}
	edge := slices.Index(w.block.Preds, w.from)
	var phis []*ssa.Phi
	var vals []value
	for _, instr := range w.block.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		phis = append(phis, phi)
		v := e.value(w.state, phi.Edges[edge])
		_, constant := phi.Edges[edge].(*ssa.Const)
		if !constant && v.known.kind == isConst && isInteger(phi.Type()) && !enumerated(phi) {
			v.known = known{} // a loop that counts is not unrolled
		}
		vals = append(vals, v)
	}
	for i, phi := range phis {
		w.state.env[phi] = vals[i]
	}
}

// enumerated reports whether phi takes constants only, as a variable that tells
// the state of a loop does.
func enumerated(phi *ssa.Phi) bool {
	seen := make(map[*ssa.Phi]bool)
	var visit func(phi *ssa.Phi) bool
	visit = func(phi *ssa.Phi) bool {
		if seen[phi] {
			return true
		}
		seen[phi] = true
		for _, v := range phi.Edges {
			inner, ok := v.(*ssa.Phi)
			if ok && !visit(inner) {
				return false
			}
			if _, constant := v.(*ssa.Const); !ok && !constant {
				return false
			}
		}
		return true
	}
	return visit(phi)
}

// block runs a block from its first instruction behind the phis to its end.
func (e *explorer) block(sh *shape, b *ssa.BasicBlock, s *state) (next []work, exits []exit) {
	states := []*state{s}
	for _, instr := range b.Instrs {
		switch instr := instr.(type) {
		case *ssa.Phi, *ssa.DebugRef:
		case *ssa.If:
			for _, s := range states {
				yes, no := e.branch(s, instr.Cond, b)
				if yes != nil {
					next = append(next, work{block: b.Succs[0], from: b, state: yes})
				}
				if no != nil && !e.cannotBeEmpty(no, b) {
					e.endRange(sh, no, b)
					next = append(next, work{block: b.Succs[1], from: b, state: no})
				}
			}
		case *ssa.Jump:
			for _, s := range states {
				next = append(next, work{block: b.Succs[0], from: b, state: s})
			}
		case *ssa.Return:
			for _, s := range states {
				results := make([]value, len(instr.Results))
				for i, r := range instr.Results {
					results[i] = e.value(s, r)
				}
				exits = append(exits, exit{s, results, instr})
			}
		case *ssa.Panic:
		default:
			var after []*state
			for _, s := range states {
				if e.steps++; e.steps > e.share(maxSteps) {
					e.tooMany = true
					return nil, nil
				}
				if after = append(after, e.step(sh, s, instr)...); len(after) > maxStates {
					after = e.blend(e.merge(after))
				}
			}
			if len(after) > len(states) {
				after = e.blend(e.merge(after))
			}
			if len(after) > maxStates {
				e.tooMany = true
			}
			states = after
		}
		if e.tooMany {
			return nil, nil
		}
	}
	return next, exits
}
