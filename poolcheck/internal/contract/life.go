package contract

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
)

// use reads or writes what v leads to.
func (r *run) use(s *domain.State, v domain.Value, at ssa.Instruction) {
	for _, ref := range v.Refs {
		r.used[ref.Obj] = true
	}
	ref, ok := v.Single()
	if !ok || ref.Rel == domain.Fault {
		return
	}
	if l := s.Life.Get(ref.Obj); l.Phase == domain.Released {
		r.note(Event{Kind: Uses, Ref: ref, At: at, Life: l})
		s.Life.Set(ref.Obj, domain.Life{Phase: domain.Gone})
	}
}

// useAll does so, and uses what the variables of v hold.
func (r *run) useAll(s *domain.State, v domain.Value, at ssa.Instruction) {
	r.use(s, v, at)
	seen := make(map[*domain.Object]bool)
	var inside func(v domain.Value)
	inside = func(v domain.Value) {
		for _, ref := range v.Refs {
			if ref.Obj.Kind != domain.Local || closure(ref.Obj) != nil || seen[ref.Obj] {
				continue
			}
			seen[ref.Obj] = true
			for _, c := range cells(s, ref.Obj) {
				r.use(s, s.Mem.Get(c), at)
				inside(s.Mem.Get(c))
			}
		}
	}
	inside(v)
}

// acquire returns a new object that call hands out as its result k, or as its only one if k is -1.
func (r *run) acquire(s *domain.State, call *ssa.Call, k int, family api.Family, pool types.Object) *domain.Object {
	o := r.object(call, k, domain.Acquired)
	o.Family, o.Pool, o.Call = family, pool, call.Common()
	o.Result = max(k, 0)
	if l, ok := s.Life.Lookup(o); ok {
		if l.Phase == domain.Live && l.Owned && !l.Shared() && !s.Held(o) {
			r.note(Event{Kind: Again, Ref: domain.Ref{Obj: o}, At: call, Life: l})
		}
		s.Forget(o)
	}
	s.Life.Set(o, domain.Life{Owned: true})
	return o
}

// release gives back what v leads to.
func (r *run) release(s *domain.State, v domain.Value, at ssa.Instruction) {
	ref, ok := v.Single()
	if !ok {
		for _, ref := range v.Refs {
			s.Life.Set(ref.Obj, domain.Life{Phase: domain.Gone})
		}
		return
	}
	o, l := ref.Obj, s.Life.Get(ref.Obj)
	if o.Kind == domain.Local && (ref.Rel == domain.Whole || ref.Rel == domain.Addr) {
		boxed := s.Mem.Get(domain.Cell{Obj: o, Path: ref.Path})
		if box, ok := boxed.Single(); ok && (box.Obj.Kind != domain.Local || !variable(box.Obj)) || len(boxed.Refs) > 1 {
			r.release(s, boxed, at)
			return
		}
		if a, ok := o.Site.(*ssa.Alloc); ok && variable(o) && a.Comment != "slicelit" {
			return
		}
		for _, c := range cells(s, o) {
			for _, x := range s.Mem.Get(c).Refs {
				s.Life.Set(x.Obj, domain.Life{Phase: domain.Gone})
			}
		}
	}
	if l.Phase == domain.Gone {
		return
	}
	if ref.Rel >= domain.Inside {
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
			r.p.borrows[loan.Key] = true
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
		if r.deferred != nil {
			l.At = r.deferred
		}
		s.Life.Set(o, l)
	}
}

// share adds n references to what v leads to. If at has added some that are not given back yet, it is in a loop.
func (r *run) share(s *domain.State, v domain.Value, n int8, at ssa.Instruction) {
	for _, ref := range v.Refs {
		l := s.Life.Get(ref.Obj)
		if l.Extra > 0 && l.Sharer == at {
			r.shareOften(s, ref.Obj)
			continue
		}
		l.Extra, l.Sharer = min(l.Extra+n, 100), at
		s.Life.Set(ref.Obj, l)
	}
}

// shareOften says that somebody adds references to o, as many as only the program knows.
func (r *run) shareOften(s *domain.State, o *domain.Object) {
	o.Countless = true
	s.Life.Set(o, domain.Life{Phase: domain.Gone})
}

// escape says that others have what v leads to from now on.
func (r *run) escape(s *domain.State, v domain.Value, at ssa.Instruction) {
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
			for _, c := range cells(s, o) {
				r.escape(s, s.Mem.Get(c), at)
			}
		case ref.Rel > domain.Inside:
		case l.Extra > 0:
			s.Update(o, func(l *domain.Life) { l.Extra-- })
		default:
			s.Update(o, func(l *domain.Life) { l.Escaped = true })
		}
	}
}

// send gives what v leads to, or shows, to whoever receives it.
func (r *run) send(s *domain.State, v domain.Value, at ssa.Instruction) {
	r.escape(s, v, at)
	for _, o := range s.Reach(v) {
		s.Update(o, func(l *domain.Life) { l.Escaped = true })
	}
}

// lend gives what v leads to to unknown code that key names. Whether that uses what literals and structs
// hold is not known.
func (r *run) lend(s *domain.State, v domain.Value, key any, at ssa.Instruction) {
	r.use(s, v, at)
	r.lendAll(s, v, key, at, make(map[*domain.Object]bool))
}

// lendAll does so except for the variables and literals in seen.
func (r *run) lendAll(s *domain.State, v domain.Value, key any, at ssa.Instruction, seen map[*domain.Object]bool) {
	for _, ref := range v.Refs {
		o := ref.Obj
		if o.Kind == domain.Local && seen[o] {
			continue
		}
		seen[o] = true
		if fn := closure(o); fn != nil {
			if s.Life.Get(o).Escaped {
				continue
			}
			s.Update(o, func(l *domain.Life) { l.Escaped = true })
			r.mayRun(s, o, fn)
			for k, b := range captured(s, o, fn) {
				if held, ok := b.Single(); ok && variable(held.Obj) && !assigned(fn.FreeVars[k]) {
					b = s.Mem.Get(domain.Cell{Obj: held.Obj, Path: held.Path})
				}
				r.lendAll(s, b, key, at, seen)
			}
			continue
		}
		if o.Kind == domain.Local {
			if s.Life.Get(o).Escaped {
				continue
			}
			s.Update(o, func(l *domain.Life) { l.Escaped = true })
			for _, c := range cells(s, o) {
				if variable(o) {
					r.escape(s, s.Mem.Get(c), at) // what the variable holds afterwards is not known
				} else {
					r.lendAll(s, s.Mem.Get(c), key, at, seen)
				}
			}
			continue
		}
		if ref.Rel > domain.Inside {
			continue
		}
		s.Update(o, func(l *domain.Life) {
			for old := l.Loans; old != nil; old = old.Next {
				if old.Key == key {
					return
				}
			}
			k := loan{key, l.Loans}
			if r.loans[k] == nil {
				r.loans[k] = &domain.Loan{ID: len(r.loans), Key: key, Next: l.Loans}
			}
			l.Loans = r.loans[k]
		})
	}
}

// clobber forgets what memory holds that unknown code can write to.
func (r *run) clobber(s *domain.State) {
	r.dirty = true
	for c := range s.Mem.All() {
		if c.Obj.Kind != domain.Local || s.Life.Get(c.Obj).Escaped {
			s.Mem.Delete(c)
			s.Stored.Delete(c)
		}
	}
}

// overwrite forgets what the cells of v hold, which unknown code has been given.
func (r *run) overwrite(s *domain.State, v domain.Value) {
	for _, o := range s.Reach(v) {
		r.dirty = r.dirty || o.Kind != domain.Local
		if o.Kind == domain.Local && !s.Life.Get(o).Escaped {
			continue
		}
		for _, c := range cells(s, o) {
			s.Mem.Delete(c)
			s.Stored.Delete(c)
		}
	}
}

// cells returns the cells of o, in the order of their paths.
func cells(s *domain.State, o *domain.Object) []domain.Cell {
	var all []domain.Cell
	for c := range s.Mem.All() {
		if c.Obj == o {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b domain.Cell) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// closure returns the function literal that o is, nil if it is none.
func closure(o *domain.Object) *ssa.Function {
	if mc, ok := o.Site.(*ssa.MakeClosure); ok {
		return mc.Fn.(*ssa.Function)
	}
	return nil
}

// variable reports whether o is a variable of the function, not what new or a literal makes.
func variable(o *domain.Object) bool {
	a, ok := o.Site.(*ssa.Alloc)
	return ok && a.Comment != "new" && a.Comment != "complit" && a.Comment != "varargs"
}

// assigned reports whether code that captures the variable v may assign to it.
func assigned(v ssa.Value) bool {
	for _, use := range *v.Referrers() {
		switch i := use.(type) {
		case *ssa.UnOp:
		case *ssa.MakeClosure:
			for k, b := range i.Bindings {
				if b == v && assigned(i.Fn.(*ssa.Function).FreeVars[k]) {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}

// lose says nothing more of what v leads to.
func (r *run) lose(s *domain.State, v domain.Value) {
	for _, o := range s.Reach(v) {
		s.Life.Set(o, domain.Life{Phase: domain.Gone})
	}
}
