package flow

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A Code is a class of misuse.
type Code string

const (
	UseAfterRelease  Code = "OCT001"
	AliasEscape      Code = "OCT002"
	DoubleRelease    Code = "OCT003"
	MissingRelease   Code = "OCT004"
	RaceAfterRelease Code = "OCT005"
	PartReleased     Code = "OCT006"
	ForeignRelease   Code = "OCT007"
	GrownAndLost     Code = "OCT008"
	DirtyReuse       Code = "OCT009"
)

// Why says what is wrong.
type Why uint8

const (
	Plain      Why = iota // as the code has it
	NothingPut            // a MissingRelease: nothing puts anything into the pool
	LeftBy                // a MissingRelease: the method By leaves memory in a field
	Replaced              // a MissingRelease: the method By puts other memory in its place
	Unlike                // a MissingRelease: the function By, which fails, does not release what it releases at Like
	PutInto               // a MissingRelease: the container By has it, and nothing that comes out of there is released
	Discarded             // a MissingRelease: what comes out of the channel By is dropped
	Emptied               // a MissingRelease: the field By is emptied of what is in it
	PilesUp               // a MissingRelease: a loop defers the release
	Unowned               // a MissingRelease: the reference that the call of By has added
	Sent                  // used, or reachable, after it was sent to what releases it
	UsedBy                // a RaceAfterRelease: the goroutine By goes on using it
	Repeated              // a DoubleRelease: the method By releases the same when it is called again
	NeverReset            // a DirtyReuse: nothing empties the object
)

// A Report is one misuse.
type Report struct {
	Code     Code
	Pos      token.Pos // of what is wrong
	Name     string    // of the variable
	Acquired token.Pos // where the memory came from, if it is known
	Taken    bool      // it was not acquired there, but taken over from whoever had it
	Other    token.Pos // the release, store, or return that makes it wrong
	Family   *api.Family
	Type     types.Type

	// Before says that Other is in an earlier round of the loop that Pos is in.
	Before bool

	// Dropped says of a MissingRelease that nothing uses what was acquired.
	Dropped bool

	// Why says what is wrong where the code says too little, and the next two what goes
	// with it.
	Why  Why
	By   string    // a function, field or channel
	Like token.Pos // where memory is released

	// Steps lead from the acquisition to what is wrong.
	Steps []Step

	// For a MissingRelease that a deferred release would cure: the acquiring
	// call, nil if a deferred release might release twice.
	Leaked *ssa.CallCommon

	object *object
}

// A Step is one of the things that happen to the memory, or a call that leads to
// it.
type Step struct {
	Pos  token.Pos
	Call string // the function that is called, if the step is a call
	What Event
	To   Destination
}

// A Destination is where a step takes the memory to.
type Destination uint8

const (
	ToNobody Destination = iota
	ToCaller             // a result
	ToStore              // a variable, field, or element
	ToChannel
	ToGoroutine
)

func destination(instr ssa.Instruction) Destination {
	switch instr.(type) {
	case *ssa.Return:
		return ToCaller
	case *ssa.Store, *ssa.MapUpdate:
		return ToStore
	case *ssa.Send:
		return ToChannel
	case *ssa.Go:
		return ToGoroutine
	}
	return ToNobody
}

// An Event is what happens in a step, or inside of the call that it is.
type Event uint8

const (
	Acquires Event = iota
	Ends           // what Other is: a release, most often
	Faults
)

// newReport returns a report on o: at is what is wrong, other what makes it so. It stands
// in the function where the two come together. If the memory comes from a caller of that,
// the report stands in the caller, unless the function is wrong by itself: then its own
// exploration reports it, and newReport returns nil.
func (e *explorer) newReport(code Code, o *object, at, other place) *Report {
	acquired := acquiredAt(o)
	n := e.level(code, acquired, at, other)
	if m := meet(acquired, at, false); acquired.valid() && m < n {
		if e.reported(at.chain()[n].in.fn, code, at.level(n).pos) {
			return nil
		}
		n = m
	}
	r := &Report{
		Code: code, Pos: at.level(n).pos, Name: o.name(at.chain()[n].in), Family: familyOf(o), Type: o.typ, object: e.young(o),
		Taken: takenOver(o),
	}
	if acquired.valid() && meet(acquired, at, false) >= n {
		r.Acquired = acquired.level(n).pos
		r.Steps = appendSteps(r.Steps, acquired, n, Acquires)
	}
	if other.valid() {
		a, b := at.level(n), other.level(n)
		r.Other = b.pos
		r.Before = code != MissingRelease && code != RaceAfterRelease && code != AliasEscape && comesRound(b.instr, a.instr)
		r.Steps = appendSteps(r.Steps, other, n, Ends)
	}
	if code != MissingRelease {
		r.Steps = appendSteps(r.Steps, at, n, Faults)
	} else if v, ok := at.instr.(ssa.Value); ok {
		r.Dropped = unused(v)
	}
	return r
}

// comesRound reports whether a comes before b only in an earlier round of a loop.
func comesRound(a, b ssa.Instruction) bool {
	for _, instr := range []ssa.Instruction{a, b} {
		switch instr.(type) {
		case nil, *ssa.Defer, *ssa.Go, *ssa.RunDefers, *ssa.Return:
			return false
		}
	}
	if a.Parent() != b.Parent() {
		return false
	}
	if a.Block() != b.Block() {
		return reaches(a.Block(), b.Block()) && b.Block().Dominates(a.Block())
	}
	instrs := a.Block().Instrs
	return slices.Index(instrs, b) <= slices.Index(instrs, a)
}

// reported reports whether fn is wrong at pos by itself.
func (e *explorer) reported(fn *ssa.Function, code Code, pos token.Pos) bool {
	e.summary(fn)
	return slices.ContainsFunc(e.Package.reports[fn], func(r *Report) bool { return r.Code == code && r.Pos == pos })
}

// level returns how deep in calls the function is that a fault belongs to.
func (e *explorer) level(code Code, acquired, at, other place) int {
	switch {
	case code == MissingRelease:
		return meet(at, other, false)
	case other.valid():
		return meet(other, at, code == UseAfterRelease || code == DoubleRelease)
	case acquired.valid():
		return meet(acquired, at, false)
	}
	return len(at.chain()) - 1
}

// appendSteps appends the steps from the function at depth n of p's calls down to p.
func appendSteps(steps []Step, p place, n int, what Event) []Step {
	for _, q := range p.chain()[n:] {
		step := Step{Pos: q.pos, What: what}
		if q == p {
			step.To = destination(q.instr)
		} else if call, ok := q.instr.(ssa.CallInstruction); ok {
			step.Call = calleeName(call)
		}
		steps = append(steps, step)
	}
	return steps
}

// calleeName returns the name of what a call calls.
func calleeName(call ssa.CallInstruction) string {
	cc := call.Common()
	if cc.IsInvoke() {
		return cc.Method.Name()
	}
	if fn := cc.StaticCallee(); fn != nil && fn.Object() != nil {
		return fn.Object().Name()
	}
	return "a function literal"
}

// report records a misuse of o. After the first one nothing more is said of
// the same memory on this path: what follows, follows from the same mistake.
func (e *explorer) report(s *state, code Code, o *object, at, other place) *Report {
	s.update(o, func(st *status) { st.phase = gone })
	for p := o.parent; p != nil; p = p.parent {
		if p.acq != nil {
			s.update(p, func(st *status) { st.phase = gone })
		}
	}
	if code == GrownAndLost {
		for x := range s.status {
			if x.movedFrom(map[*object]bool{e.young(o): true}) {
				s.update(x, func(st *status) { st.phase = gone })
			}
		}
	}
	if e.muted || !e.relevant(o) {
		return nil
	}
	r := e.newReport(code, o, at, other)
	if r != nil {
		e.reports = append(e.reports, r)
	}
	return r
}

// rename gives r another name than that of its memory's first variable, if there is
// one.
func (r *Report) rename(name string) {
	if name != "" {
		r.Name = name
	}
}

// movedFrom reports whether o holds what appends have moved from one of some.
func (o *object) movedFrom(some map[*object]bool) bool {
	seen := make(map[*object]bool)
	var from func(o *object) bool
	from = func(o *object) bool {
		seen[o] = true
		for x := range o.from {
			if some[x] || !seen[x] && from(x) {
				return true
			}
		}
		return false
	}
	return from(o)
}

// relevant reports whether the memory o is what poolcheck is for.
func (e *explorer) relevant(o *object) bool {
	return acquiredAt(o).valid() || o.typ == nil || HoldsBytes(o.typ) || carries(o.typ) && isText(o.typ) || types.IsInterface(o.typ)
}

func acquiredAt(o *object) place {
	for ; o != nil; o = o.parent {
		if o.acq != nil || o.taken {
			return o.at
		}
	}
	return nowhere
}

// takenOver reports whether o, or what it is inside of, was taken over, and not acquired.
func takenOver(o *object) bool {
	for ; o != nil && o.acq == nil; o = o.parent {
		if o.taken {
			return true
		}
	}
	return false
}

func familyOf(o *object) *api.Family {
	if o.acq != nil {
		return o.acq.family
	}
	return nil
}

// certain returns the reports that no other path can excuse.
func (e *explorer) certain() []*Report {
	return slices.DeleteFunc(e.reports, func(r *Report) bool {
		// A callee that chooses among pools knows which is right; how many references
		// there are, only the number of rounds tells.
		return r.Code == ForeignRelease && (e.tooMany || e.rightly[spot{r.object, r.Pos}]) || e.counted[r.object]
	})
}

// settle returns the reports of the function, except for missing releases: one for
// each piece of memory, the first. found are those of an exploration that was given up.
func (e *explorer) settle(found []*Report) []*Report {
	if e.tooMany {
		e.reports = nil
	}
	for _, r := range found {
		e.reports = slices.DeleteFunc(e.reports, func(again *Report) bool { return again.Pos == r.Pos })
	}
	e.reports = append(e.certain(), found...)
	slices.SortStableFunc(e.reports, func(a, b *Report) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Other, b.Other))
	})
	var out []*Report
	seen := make(map[*object]bool)
	for _, r := range e.reports {
		if !seen[r.object] && r.Pos.IsValid() {
			seen[r.object] = true
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *Report) int { return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Code, b.Code)) })
	return out
}
