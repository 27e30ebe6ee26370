// Package paths runs a function along its paths, in the states of package domain: it knows what instructions,
// conditions, literals and the functions of the language do. What other calls do is for a Policy to say. States
// that differ only in facts are merged where paths meet.
//
// # Map
//
//   - run.go: a run, its policy, and the values of registers
//   - life.go: how uses, releases and escapes change the life of an object
//   - memory.go: variables, fields and elements
//   - branch.go: what a condition tells
//   - append.go: the functions of the language, append above all
//   - window.go: what decoders show of their buffers
//   - goroutine.go: what is handed to another goroutine, and what waits for it
//   - literal.go: function literals, and what is lent to unknown code
//   - instr.go: instructions
//   - explore.go: the paths of one function
package paths

import (
	"cmp"
	"go/constant"
	"go/types"

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
	Twice                     // it may be released before At, a deferred release, runs
	Stale                     // by a name that was there before an append may have moved it
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

// Limits of an exploration, above which the function is given up: nothing is said of it, and its
// callers know nothing of what it does.
const (
	MaxBlocks = 250  // of the function
	MaxStates = 16   // at a block, before they are blurred
	maxSteps  = 4000 // blocks that are run
	maxDepth  = 4    // literals that run inside of each other
)

// A Policy decides what calls do, and knows the package.
type Policy interface {
	// Call runs a call of what is no function of the language and no literal that is known. Its result goes into
	// reg, which is nil if the call is deferred.
	Call(s *domain.State, reg *ssa.Call, c *ssa.CallCommon, args []domain.Value) []*domain.State
	// Spawn starts a goroutine that calls the literal fn, which captures bound, or callee, which is nil if it is
	// not known; given is all that it gets.
	Spawn(s *domain.State, at ssa.Instruction, fn, callee *ssa.Function, bound, args []domain.Value, given domain.Value)
	// Pools reports whether values of type t have a method that has to do with pooled memory.
	Pools(t types.Type) bool
	// HasOwn reports whether a field points to a buffer that is made for it alone.
	HasOwn(field *types.Var) bool
	// Replaced reports whether a list in a field is only ever replaced by another.
	Replaced(field *types.Var) bool
	// Returned says that unknown code, which key names, gives back what it is given.
	Returned(key any)
}

// A Run is the exploration of one function, and of the literals that run inside of it.
type Run struct {
	Policy
	Inputs  []*domain.Object // of the parameters, nil for those that lead nowhere
	Events  []Event
	TooMuch bool
	Dirty   bool // memory that the function was given was written, or may have been
	Used    map[*domain.Object]bool
	Turned  map[domain.Cell]bool // decoders that the function was given, and that read on
	// Deferred is the deferred call, or the go statement, that calls what runs.
	Deferred ssa.Instruction

	fn      *ssa.Function
	shapes  map[*ssa.Function]*ir.Shape // of the function and of those literals
	objects map[place]*domain.Object
	loans   map[loan]*domain.Loan
	events  map[eventKey]int
	steps   int
	running []*ssa.Function
	mute    int // whether what is run is only tried
}

// New returns a run that a policy decides.
func New(policy Policy) *Run {
	return &Run{
		Policy: policy, shapes: make(map[*ssa.Function]*ir.Shape), objects: make(map[place]*domain.Object), loans: make(map[loan]*domain.Loan),
		events: make(map[eventKey]int), Used: make(map[*domain.Object]bool), Turned: make(map[domain.Cell]bool),
	}
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

// Object returns the object of a place.
func (r *Run) Object(site ssa.Value, what int, kind domain.Kind) *domain.Object {
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
func (r *Run) note(e Event) {
	if r.mute > 0 {
		return
	}
	if e.By = e.At; r.Deferred != nil {
		e.At = r.Deferred
	}
	k := eventKey{e.Kind, e.Ref.Obj, e.At}
	if i, ok := r.events[k]; ok {
		// A later state knows less. What it knows of the object counts, except that it was handed over, or left, on another
		// way, or that something has waited there: a loop that waits may run no round.
		if old := r.Events[i].Life; e.Life.Phase == domain.Live {
			e.Life.Handed, e.Life.Waited = cmp.Or(e.Life.Handed, old.Handed), e.Life.Waited || old.Waited
			e.Life.Left = e.Life.Left || old.Left
		}
		r.Events[i] = e
		return
	}
	r.events[k] = len(r.Events)
	r.Events = append(r.Events, e)
}

// Set gives a register its value.
func Set(s *domain.State, reg ssa.Value, v domain.Value) {
	if v.Empty() {
		s.Env.Delete(reg)
	} else {
		s.Env.Set(reg, v)
	}
}

// Value returns what is known of v.
func (r *Run) Value(s *domain.State, v ssa.Value) domain.Value {
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
		o := r.Object(v, -1, domain.Input)
		return domain.Of(o)
	case *ssa.FreeVar:
		if val, ok := s.Env.Lookup(v); ok {
			return val
		}
		return domain.Of(r.Object(v, -1, domain.Input))
	case *ssa.Function:
		return domain.Value{Fact: domain.NonNil}
	}
	return s.Env.Get(v)
}

func (r *Run) Values(s *domain.State, regs []ssa.Value) []domain.Value {
	var all []domain.Value
	for _, v := range regs {
		all = append(all, r.Value(s, v))
	}
	return all
}

// truth returns the fact that b is.
func truth(b bool) domain.Fact {
	if b {
		return domain.True
	}
	return domain.False
}

// At returns the instruction that reg is, or else the deferred call or go statement that runs.
func (r *Run) At(reg *ssa.Call) ssa.Instruction {
	if reg != nil {
		return reg
	}
	return r.Deferred
}

func setFact(s *domain.State, v ssa.Value, f domain.Fact) {
	if _, ok := v.(*ssa.Const); ok {
		return
	}
	known := s.Env.Get(v)
	known.Fact = f
	s.Env.Set(v, known)
}

// SetResults gives reg its results, of which those that are missing are not known.
func (r *Run) SetResults(s *domain.State, reg *ssa.Call, results []domain.Value) {
	if reg == nil {
		return
	}
	result := func(k int) domain.Value {
		if k < len(results) {
			return results[k]
		}
		return domain.Value{}
	}
	if reg.Call.Signature().Results().Len() == 1 || len(results) == 1 {
		Set(s, reg, result(0))
		return
	}
	for _, use := range *reg.Referrers() {
		if e, ok := use.(*ssa.Extract); ok {
			Set(s, e, result(e.Index))
		}
	}
}
