package paths

import (
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
)

// literal returns the function literal that c calls, and what it captures.
func literal(s *domain.State, c *ssa.CallCommon, fun domain.Value) (fn *ssa.Function, bound []domain.Value) {
	if fn := c.StaticCallee(); fn != nil && fn.Parent() != nil && len(fn.FreeVars) == 0 {
		return fn, nil
	}
	ref, ok := fun.Single()
	if !ok || c.IsInvoke() {
		return nil, nil
	}
	if fn = Closure(ref.Obj); fn != nil {
		bound = Captured(s, ref.Obj, fn)
	}
	return fn, bound
}

// Captured returns what the literal o, which is fn, captures.
func Captured(s *domain.State, o *domain.Object, fn *ssa.Function) []domain.Value {
	var bound []domain.Value
	for k := range fn.FreeVars {
		bound = append(bound, s.Mem.Get(domain.Cell{Obj: o, Path: "." + strconv.Itoa(k)}))
	}
	return bound
}

// Fits reports whether fn may run inside of what runs.
func (r *Run) Fits(fn *ssa.Function) bool {
	if len(r.running) > maxDepth || len(fn.Blocks) == 0 || len(fn.Blocks) > MaxBlocks/4 || fn.Synthetic != "" {
		return false
	}
	return !slices.Contains(r.running, fn)
}

// Inline runs the body of a literal.
func (r *Run) Inline(s *domain.State, reg *ssa.Call, fn *ssa.Function, bound, args []domain.Value) []*domain.State {
	for k, fv := range fn.FreeVars {
		Set(s, fv, bound[k])
	}
	outer := r.Deferred
	var states []*domain.State
	for _, x := range r.body(fn, args, s) {
		r.Deferred = outer
		r.SetResults(x.State, reg, x.Results)
		states = append(states, x.State)
	}
	return Distinct(states)
}

// MayCall says nothing more of what the literal v, which may run or not, would release or assign to.
func (r *Run) MayCall(s *domain.State, v domain.Value) {
	for _, ref := range v.Refs {
		fn := Closure(ref.Obj)
		if fn == nil {
			continue
		}
		bound := Captured(s, ref.Obj, fn)
		r.mayRun(s, ref.Obj, fn)
		for k, b := range bound {
			if held, ok := b.Single(); ok && held.Obj.Kind == domain.Local && assigned(fn.FreeVars[k]) {
				for _, c := range Cells(s, held.Obj) {
					r.Lose(s, s.Mem.Get(c)) // the variable may have it still
					s.Mem.Delete(c)
				}
			}
		}
	}
}

// mayRun says nothing more of what the literal o, which is fn, would release or give away.
func (r *Run) mayRun(s *domain.State, o *domain.Object, fn *ssa.Function) {
	// It is run on a copy, and tried only once: literals that try literals would take forever.
	if r.mute > 0 || !r.Fits(fn) {
		r.Lose(s, domain.Of(o))
		return
	}
	r.mute++
	dirty := r.Dirty
	ends := r.Inline(s.Copy(), nil, fn, Captured(s, o, fn), make([]domain.Value, len(fn.Params)))
	r.Dirty = dirty
	r.mute--
	r.LoseChanged(s, s.Reach(domain.Of(o)), ends)
}

// Lend gives what v leads to to unknown code that key names. Whether that uses what literals and structs
// hold is not known.
func (r *Run) Lend(s *domain.State, v domain.Value, key any, at ssa.Instruction) {
	r.Use(s, v, at)
	r.lendAll(s, v, key, at, make(map[*domain.Object]bool))
}

// lendAll does so except for the variables and literals in seen.
func (r *Run) lendAll(s *domain.State, v domain.Value, key any, at ssa.Instruction, seen map[*domain.Object]bool) {
	for _, ref := range v.Refs {
		o := ref.Obj
		if o.Kind == domain.Local && seen[o] {
			continue
		}
		seen[o] = true
		if fn := Closure(o); fn != nil {
			if s.Life.Get(o).Escaped {
				continue
			}
			s.Update(o, func(l *domain.Life) { l.Escaped = true })
			r.mayRun(s, o, fn)
			for k, b := range Captured(s, o, fn) {
				if held, ok := b.Single(); ok && Variable(held.Obj) && !assigned(fn.FreeVars[k]) {
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
			for _, c := range Cells(s, o) {
				if Variable(o) {
					r.Escape(s, s.Mem.Get(c), at) // what the variable holds afterwards is not known
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
