package counts

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// The work that a function may take: more, and it is given up.
const (
	maxSteps    = 8000
	maxLiterals = 6 // that run inside of each other
)

// A runner follows the paths of one function.
type runner struct {
	*Package
	fn      *ssa.Function
	things  map[origin]*thing
	numbers map[ssa.Value]int
	reach   map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool
	active  []*ssa.Function // literals that run
	steps   int
	tooMany bool
	lost    []loss
	again   []repeat
	loose   map[*thing]bool // lists of which some elements are released, which ones is not known
}

// An origin is one result of an instruction.
type origin struct {
	site  ssa.Value
	index int
}

// An exit is the end of a path of a function or a literal.
type exit struct {
	state   *state
	ret     *ssa.Return
	results []value
	owned   []bool // the results to which the path gave its caller a reference
}

func newRunner(p *Package, fn *ssa.Function) *runner {
	return &runner{
		Package: p, fn: fn,
		things:  make(map[origin]*thing),
		numbers: make(map[ssa.Value]int),
		reach:   make(map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool),
		loose:   make(map[*thing]bool),
	}
}

func (r *runner) thing(site ssa.Value, index int, list bool) *thing {
	o := origin{site, index}
	t := r.things[o]
	if t == nil {
		t = &thing{id: len(r.things), site: site, list: list}
		r.things[o] = t
	}
	return t
}

// number returns a number for x that no other value has.
func (r *runner) number(x ssa.Value) int {
	n, ok := r.numbers[x]
	if !ok {
		n = len(r.numbers)
		r.numbers[x] = n
	}
	return n
}

// A visit is a state that waits to enter a block.
type visit struct {
	block, from *ssa.BasicBlock
	state       *state
}

// run follows the paths of fn from s, which has its parameters, and returns their ends.
func (r *runner) run(fn *ssa.Function, s *state) []exit {
	var exits []exit
	type at struct {
		block *ssa.BasicBlock
		key   string
	}
	seen := make(map[at]bool)
	waiting := []visit{{fn.Blocks[0], nil, s}}
	for len(waiting) > 0 && !r.tooMany {
		v := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		r.enter(v.state, v.block, v.from)
		here := at{v.block, v.state.key(r)}
		if seen[here] {
			continue
		}
		seen[here] = true
		states := []*state{v.state}
		for _, instr := range v.block.Instrs {
			if r.steps += len(states); r.steps > maxSteps {
				r.tooMany = true
				return nil
			}
			var next []*state
			for _, s := range states {
				next = append(next, r.exec(s, instr)...)
			}
			states = next
		}
		for _, s := range states {
			switch last := v.block.Instrs[len(v.block.Instrs)-1].(type) {
			case *ssa.Return:
				exits = append(exits, r.exit(s, last))
			case *ssa.If:
				waiting = append(waiting, r.branch(s, last)...)
			case *ssa.Jump:
				waiting = append(waiting, visit{v.block.Succs[0], v.block, s})
			}
		}
	}
	return exits
}

// exit ends a path: what it returns, and owns, is its caller's.
func (r *runner) exit(s *state, ret *ssa.Return) exit {
	x := exit{state: s, ret: ret}
	for _, result := range ret.Results {
		v := r.value(s, result)
		owned := s.owns(v) && !v.element
		if owned {
			s.give(v, ret)
		} else if v.thing == nil {
			s.doubt(v)
		}
		x.results, x.owned = append(x.results, v), append(x.owned, owned)
	}
	return x
}

// failed reports whether x returns an error that is certainly one, or a false.
func (r *runner) failed(x exit) bool {
	for i, v := range x.results {
		t := x.ret.Results[i].Type()
		if isError(t) && x.state.nilness(v) == nonNil || isBool(t) && (v.known == isFalse || x.state.facts[v.first] == isFalse) {
			return true
		}
	}
	return false
}

func isError(t types.Type) bool {
	return t != nil && types.Identical(t, types.Universe.Lookup("error").Type())
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}

// enter brings s from one block into the next: phis take their values, and what nothing reads any
// more is forgotten.
func (r *runner) enter(s *state, b, from *ssa.BasicBlock) {
	if from == nil {
		return
	}
	edge := slices.Index(b.Preds, from)
	values := make(map[*ssa.Phi]value)
	for _, instr := range b.Instrs {
		phi, ok := instr.(*ssa.Phi)
		if !ok {
			break
		}
		values[phi] = r.value(s, phi.Edges[edge])
	}
	for phi, v := range values {
		s.registers[phi] = v
	}
	named := make(map[ssa.Value]bool)
	for x, v := range s.registers {
		if instr, ok := x.(ssa.Instruction); ok && instr.Parent() == b.Parent() && !r.live(x, b) {
			delete(s.registers, x)
			continue
		}
		named[x] = true
		if v.first != nil {
			named[v.first] = true
		}
	}
	for _, v := range s.locals {
		if v.first != nil {
			named[v.first] = true
		}
	}
	for x := range s.facts {
		if !named[x] {
			delete(s.facts, x)
		}
	}
}

// live reports whether something in b, or behind it, reads x.
func (r *runner) live(x ssa.Value, b *ssa.BasicBlock) bool {
	refs := x.Referrers()
	if refs == nil {
		return true
	}
	reach := r.reach[b]
	if reach == nil {
		reach = make(map[*ssa.BasicBlock]bool)
		todo := []*ssa.BasicBlock{b}
		for len(todo) > 0 {
			x := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !reach[x] {
				reach[x] = true
				todo = append(todo, x.Succs...)
			}
		}
		r.reach[b] = reach
	}
	return slices.ContainsFunc(*refs, func(use ssa.Instruction) bool {
		switch use.(type) {
		case *ssa.DebugRef:
			return false
		case *ssa.MakeClosure:
			return true // the literal may run at any time
		}
		return reach[use.Block()]
	})
}

// value returns what x has in s.
func (r *runner) value(s *state, x ssa.Value) value {
	switch x := x.(type) {
	case *ssa.Const:
		return constant(x)
	case *ssa.Function:
		return value{known: nonNil}
	}
	if v, ok := s.registers[x]; ok {
		return v
	}
	return value{first: x}
}

func constant(c *ssa.Const) value {
	switch {
	case c.Value == nil:
		return value{known: isNil}
	case isBool(c.Type()) && c.Value.String() == "true":
		return value{known: isTrue}
	case isBool(c.Type()):
		return value{known: isFalse}
	}
	return value{}
}
