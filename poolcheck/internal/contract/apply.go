package contract

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// applySummary calls a function of the package. It returns false if nothing is known of it.
func (r *run) applySummary(s *domain.State, reg *ssa.Call, fn *ssa.Function, args []domain.Value) ([]*domain.State, bool) {
	t := r.p.Trace(fn)
	if t == nil || t.Summary == nil {
		return nil, false
	}
	at := r.At(reg)
	for i := range fn.Params {
		if countsReferences(fn, i, t.Summary) {
			r.Lose(s, args[i])
		}
	}
	for i, used := range t.Summary.Used {
		if used && i < len(args) {
			r.UseAll(s, args[i], at)
		}
	}
	for _, v := range args {
		r.MayCall(s, v)
		if slices.ContainsFunc(v.Refs, func(ref domain.Ref) bool { return r.p.mayReleaseInside(fn, ref) }) {
			r.Lose(s, v)
		}
	}
	for _, decoder := range t.Summary.Turns {
		if of, ok := r.decoder(s, reg, decoder); ok {
			r.Turn(s, of, at)
		}
	}
	if knowsWhatHappens(reg) {
		for i, v := range args {
			if slices.ContainsFunc(t.Summary.Outcomes, func(o Outcome) bool { return o.Params[i].Escaped }) {
				r.Escape(s, v, at)
			}
		}
	}
	for i, v := range args {
		for _, ref := range v.Refs {
			if ref.Rel <= domain.Part && t.Summary.hands(i) {
				r.Hand(s, []*domain.Object{ref.Obj}, at)
			}
		}
	}
	var states []*domain.State
	for _, out := range t.Summary.Outcomes {
		if !excluded(out, args) {
			states = append(states, r.applyOutcome(s.Copy(), reg, fn, t.Summary, out, args))
		}
	}
	return paths.Distinct(states), true
}

// excluded reports whether the arguments rule out the outcome.
func excluded(out Outcome, args []domain.Value) bool {
	for i, f := range out.In {
		if i < len(args) && f != domain.Unknown && args[i].Fact == f.Not() {
			return true
		}
	}
	return false
}

func (r *run) applyOutcome(s *domain.State, reg *ssa.Call, fn *ssa.Function, sum *Summary, out Outcome, args []domain.Value) *domain.State {
	at := r.At(reg)
	for i, e := range out.Params { // before the releases, since two arguments may be the same
		for _, key := range e.Loans {
			if i < len(args) {
				r.Lend(s, args[i], key, at)
			}
		}
	}
	for i, e := range out.Params {
		if i >= len(args) {
			break
		}
		v := args[i]
		if e.Extra > 0 {
			r.Share(s, v, e.Extra, at)
		}
		if e.Left {
			r.Leave(s, v, at)
		}
		switch {
		case e.Countless:
			for _, ref := range v.Refs {
				r.ShareOften(s, ref.Obj)
			}
		case e.Released:
			if r.Release(s, v, at); sum.May[i] && len(out.Results) > 0 {
				r.LoseItself(s, v)
			}
		case e.Kept:
			r.Keep(s, v, at)
		case e.Escaped:
			r.Escape(s, v, at)
		case e.Gone:
			for _, ref := range v.Refs {
				if ref.Rel < domain.View {
					r.Lose(s, domain.Value{Refs: []domain.Ref{ref}})
				}
			}
		}
	}
	if sum.Dirty {
		r.Clobber(s)
	}
	for _, st := range out.Stores {
		ref, ok := args[st.Into].Single()
		if !ok {
			continue
		}
		cell := domain.Cell{Obj: ref.Obj, Path: ref.Path + st.Path}
		if st.Param < 0 {
			s.Drop(func(x domain.Ref) bool { return x == domain.Ref{Obj: cell.Obj, Rel: domain.View, Path: cell.Path} })
			continue
		}
		if s.Mem.Set(cell, args[st.Param].As(st.Rel)); ref.Obj.Kind != domain.Local {
			s.Stored.Set(cell, at)
		}
	}
	var results []domain.Value
	for i, res := range out.Results {
		v := domain.Value{}
		for _, shown := range res.Params {
			if shown.Param < len(args) && ir.Carries(fn.Signature.Results().At(i).Type()) {
				given := args[shown.Param]
				if ref, ok := given.Single(); ok && shown.Grown && ref.Rel <= domain.Part {
					r.Outdate(s, ref, at)
				}
				if shown.Rel == domain.View {
					given = r.Content(s, given)
				}
				v = v.Join(domain.Value{Refs: given.As(shown.Rel).Refs})
			}
		}
		if res.Fresh != nil && reg != nil && !guesses(out, args) {
			v = r.fresh(s, reg, fn, i, out, args)
		}
		v.Fact = res.Fact
		results = append(results, v)
	}
	r.SetResults(s, reg, results)
	return s
}

// fresh returns the result i of a call of fn that ends so: memory that the caller has to release, or the window of a
// decoder.
func (r *run) fresh(s *domain.State, reg *ssa.Call, fn *ssa.Function, i int, out Outcome, args []domain.Value) domain.Value {
	res, k := out.Results[i], -1
	if len(out.Results) > 1 {
		k = i
	}
	for _, shown := range res.Params {
		if shown.Rel <= domain.Inside && shown.Param < len(args) {
			r.Escape(s, args[shown.Param], r.At(reg))
		}
	}
	if res.Fresh.Of != nil {
		of, ok := r.decoder(s, reg, *res.Fresh.Of)
		if !ok {
			return domain.Value{}
		}
		return domain.Of(r.Window(s, reg, k, of)).As(res.Fresh.Rel)
	}
	o := r.Acquire(s, reg, k, res.Fresh.Family, res.Fresh.Pool)
	if o.Helper, o.Inside = fn.Name(), res.Fresh.Pos; res.Fresh.Fails {
		o.Fails = reg
	}
	return domain.Of(o)
}

// decoder returns which decoder is at a place in the arguments of a call.
func (r *run) decoder(s *domain.State, reg *ssa.Call, at Place) (domain.Cell, bool) {
	if reg == nil || at.Param >= len(reg.Call.Args) || reg.Call.StaticCallee() == nil {
		return domain.Cell{}, false
	}
	return r.Decoder(s, reg.Call.Args[at.Param], at.Path)
}
