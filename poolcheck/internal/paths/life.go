package paths

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
)

// Use reads or writes what v leads to.
func (r *Run) Use(s *domain.State, v domain.Value, at ssa.Instruction) {
	for _, ref := range v.Refs {
		r.Used[ref.Obj] = true
	}
	ref, ok := v.Single() // of two that it may be, neither is known to be used
	if !ok || ref.Rel == domain.Fault {
		return
	}
	l := s.Life.Get(ref.Obj)
	if ref.Old && l.Phase == domain.Live && l.Grown != nil {
		r.note(Event{Kind: Stale, Ref: ref, At: at, Life: l})
	}
	if l.Phase == domain.Released {
		r.note(Event{Kind: Uses, Ref: ref, At: at, Life: l})
		s.Life.Set(ref.Obj, domain.Life{Phase: domain.Gone}) // the first use is enough
	}
}

// attached is the path of the cell that has what a pooled reader or writer was made to read from or write to.
const attached = ".attached"

// Attach says that what a pool has handed out reads from, or writes to, target from now on.
func (r *Run) Attach(s *domain.State, v, target domain.Value) {
	if ref, ok := v.Single(); ok && ref.Rel == domain.Whole && ref.Obj.Kind == domain.Acquired {
		s.Mem.Set(domain.Cell{Obj: ref.Obj, Path: attached}, target.Shown())
	}
}

// UseAll does so, and uses what v was attached to, and what the variables of v hold.
func (r *Run) UseAll(s *domain.State, v domain.Value, at ssa.Instruction) {
	if ref, ok := v.Single(); ok && ref.Rel == domain.Whole {
		r.Use(s, s.Mem.Get(domain.Cell{Obj: ref.Obj, Path: attached}), at)
	}
	r.Use(s, v, at)
	seen := make(map[*domain.Object]bool)
	var inside func(v domain.Value)
	inside = func(v domain.Value) {
		for _, ref := range v.Refs {
			if ref.Obj.Kind != domain.Local || Closure(ref.Obj) != nil || seen[ref.Obj] {
				continue
			}
			seen[ref.Obj] = true
			for _, c := range Cells(s, ref.Obj) {
				r.Use(s, s.Mem.Get(c), at)
				inside(s.Mem.Get(c))
			}
		}
	}
	inside(v)
}

// Acquire returns a new object that call hands out as its result k, or as its only one if k is -1.
func (r *Run) Acquire(s *domain.State, call *ssa.Call, k int, family api.Family, pool types.Object) *domain.Object {
	o := r.Object(call, k, domain.Acquired)
	o.Family, o.Pool, o.Result = family, pool, max(k, 0)
	if l, ok := s.Life.Lookup(o); ok {
		// A place that hands out again what nothing leads to any more has lost the one before.
		if l.Phase == domain.Live && l.Owned && !l.Shared() && !s.Held(o) {
			r.note(Event{Kind: Again, Ref: domain.Ref{Obj: o}, At: call, Life: l})
		}
		s.Forget(o)
	}
	s.Life.Set(o, domain.Life{Owned: true})
	return o
}

// Release gives back what v leads to.
func (r *Run) Release(s *domain.State, v domain.Value, at ssa.Instruction) {
	ref, ok := v.Single()
	if !ok {
		r.LoseItself(s, v)
		return
	}
	o, l := ref.Obj, s.Life.Get(ref.Obj)
	// The address of a variable, or a struct of the function's own: what it has goes back, and not the variable.
	if o.Kind == domain.Local && (ref.Rel == domain.Whole || ref.Rel == domain.Addr) {
		boxed := s.Mem.Get(domain.Cell{Obj: o, Path: ref.Path})
		if box, ok := boxed.Single(); ok && (box.Obj.Kind != domain.Local || !Variable(box.Obj)) || len(boxed.Refs) > 1 {
			r.Release(s, boxed, at)
			return
		}
		if a, ok := o.Site.(*ssa.Alloc); ok && Variable(o) && a.Comment != "slicelit" {
			return
		}
		for _, c := range Cells(s, o) {
			r.LoseItself(s, s.Mem.Get(c))
		}
	}
	if l.Phase == domain.Gone {
		return
	}
	if ref.Rel >= domain.Inside { // a struct that has it, or a string over it: what that does to the memory is not known
		s.Life.Set(o, domain.Life{Phase: domain.Gone})
		return
	}
	r.note(Event{Kind: Releases, Ref: ref, At: at, Life: l})
	if ref.Rel == domain.Part && o.Kind == domain.Acquired || ref.Old && l.Grown != nil {
		s.Life.Set(o, domain.Life{Phase: domain.Gone})
		return
	}
	if r.mute == 0 {
		for loan := l.Loans; loan != nil; loan = loan.Next {
			r.Returned(loan.Key)
		}
	}
	switch {
	case l.Extra > 0:
		l.Extra--
		s.Life.Set(o, l)
	case l.Phase == domain.Released:
		s.Life.Set(o, domain.Life{Phase: domain.Gone})
	default:
		l.Phase, l.At, l.By = domain.Released, at, at
		if r.Deferred != nil {
			l.At = r.Deferred
		}
		s.Life.Set(o, l)
	}
}

// Twice says that first may release what the deferred call at will release.
func (r *Run) Twice(ref domain.Ref, at, first ssa.Instruction) {
	r.note(Event{Kind: Twice, Ref: ref, At: at, Life: domain.Life{Phase: domain.Released, By: first}})
}

// Share adds n references to what v leads to. If at has added some that are not given back yet, it is in a loop.
func (r *Run) Share(s *domain.State, v domain.Value, n int8, at ssa.Instruction) {
	for _, ref := range v.Refs {
		l := s.Life.Get(ref.Obj)
		if l.Extra > 0 && l.Sharer == at {
			r.ShareOften(s, ref.Obj)
			continue
		}
		l.Extra, l.Sharer = min(l.Extra+n, 100), at
		s.Life.Set(ref.Obj, l)
	}
}

// ShareOften says that somebody adds references to o, as many as only the program knows.
func (r *Run) ShareOften(s *domain.State, o *domain.Object) {
	o.Countless = true
	s.Life.Set(o, domain.Life{Phase: domain.Gone})
}

// Escape says that others have what v leads to from now on.
func (r *Run) Escape(s *domain.State, v domain.Value, at ssa.Instruction) {
	for _, ref := range v.Refs {
		o, l := ref.Obj, s.Life.Get(ref.Obj)
		switch {
		case ref.Rel == domain.Fault: // an error shows no memory
		case l.Phase == domain.Released && l.By == at: // the same call does both
		case l.Phase == domain.Released:
			r.note(Event{Kind: Keeps, Ref: ref, At: at, Life: l})
			s.Life.Set(o, domain.Life{Phase: domain.Gone})
		case o.Kind == domain.Local:
			if l.Escaped {
				continue
			}
			s.Update(o, func(l *domain.Life) { l.Escaped = true })
			for _, c := range Cells(s, o) {
				r.Escape(s, s.Mem.Get(c), at)
			}
		case ref.Rel > domain.Inside:
		case l.Extra > 0:
			s.Update(o, func(l *domain.Life) { l.Extra-- })
		default:
			s.Update(o, func(l *domain.Life) { l.Escaped = true })
		}
	}
}

// Lose says nothing more of what v leads to.
func (r *Run) Lose(s *domain.State, v domain.Value) {
	for _, o := range s.Reach(v) {
		s.Life.Set(o, domain.Life{Phase: domain.Gone})
	}
}

// LoseItself says nothing more of what v leads to directly.
func (r *Run) LoseItself(s *domain.State, v domain.Value) {
	for _, ref := range v.Refs {
		s.Life.Set(ref.Obj, domain.Life{Phase: domain.Gone})
	}
}

// LoseChanged says nothing more of those of objs that have another life in one of the states that code which runs
// beside, later or not at all would make of s.
func (r *Run) LoseChanged(s *domain.State, objs []*domain.Object, ends []*domain.State) {
	for _, o := range objs {
		l := s.Life.Get(o)
		if o.Kind != domain.Local && slices.ContainsFunc(ends, func(t *domain.State) bool {
			m := t.Life.Get(o)
			return m.Phase != l.Phase || m.Escaped != l.Escaped || m.Extra != l.Extra || m.Loans != l.Loans
		}) {
			s.Life.Set(o, domain.Life{Phase: domain.Gone})
		}
	}
}
