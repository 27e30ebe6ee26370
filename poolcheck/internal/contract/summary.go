package contract

import (
	"cmp"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// A Summary is what a function promises.
type Summary struct {
	Outcomes []Outcome
	Used     []bool // which arguments it reads or writes
	Dirty    bool   // it may write to memory that it was given
	Selects  bool   // it may ask whether a channel is ready
	May      []bool // which arguments it releases on some of its ways and not on others
}

// An Outcome is one way in which a function ends.
type Outcome struct {
	In      []domain.Fact // what it takes for granted of its arguments
	Params  []Effect
	Results []Result
	Stores  []Store
}

// A Store says that a cell of an argument shows another one, or is nil if that is -1.
type Store struct {
	Into int
	Path string
	Shown
}

// An Effect is what becomes of an argument.
type Effect struct {
	Released, Escaped, Gone bool
	Extra                   int8
	Countless               bool // references were added to it in a loop
	Loans                   []any
}

// A Result is what a result leads to.
type Result struct {
	Fact   domain.Fact
	Params []Shown // the arguments that it shows
	Fresh  *Fresh  // set if it is the caller's to release
}

// Shown is how a result relates to an argument.
type Shown struct {
	Param int
	Rel   domain.Rel
	Grown bool // an append may have moved the content
}

// Fresh is memory that the caller has to release.
type Fresh struct {
	Family api.Family
	Pool   types.Object
	Pos    token.Pos // where the function acquires it
	Fails  bool      // there is none beside an error
}

const maxOutcomes = 8

// summarize returns what the exits have in common, nil if they are too many.
func (r *run) summarize(exits []Exit) *Summary {
	sum := &Summary{Dirty: r.dirty, Selects: r.selects}
	for _, o := range r.inputs {
		sum.Used = append(sum.Used, o != nil && r.used[o])
	}
	for _, x := range exits {
		out := r.outcome(x)
		if !slices.ContainsFunc(sum.Outcomes, func(o Outcome) bool { return reflect.DeepEqual(o, out) }) {
			sum.Outcomes = append(sum.Outcomes, out)
		}
	}
	sum.takeOver()
	if len(sum.Outcomes) > maxOutcomes {
		return nil
	}
	return sum
}

// outcome returns how the exit x leaves what the function was given, and what it returns.
func (r *run) outcome(x Exit) Outcome {
	out := Outcome{In: x.In}
	returned := make(map[*domain.Object]bool)
	for i, v := range x.Results {
		for k, w := range x.Results {
			if k != i {
				for _, o := range x.State.Reach(w) {
					returned[o] = true
				}
				for _, ref := range w.Refs { // also those of an error
					returned[ref.Obj] = true
				}
			}
		}
		out.Results = append(out.Results, r.result(x.State, v, returned))
		clear(returned)
	}
	for _, o := range r.inputs {
		var e Effect
		if o != nil {
			l := x.State.Life.Get(o)
			e = Effect{
				Released: l.Phase == domain.Released, Escaped: l.Escaped, Gone: l.Phase == domain.Gone,
				Extra: l.Extra, Countless: o.Countless,
			}
			for loan := l.Loans; loan != nil; loan = loan.Next {
				e.Loans = append(e.Loans, loan.Key)
			}
		}
		out.Params = append(out.Params, e)
	}
	for c := range x.State.Stored.All() {
		if c.Obj.Kind != domain.Input || c.Obj.Param < 0 {
			continue
		}
		v := x.State.Mem.Get(c)
		if len(v.Refs) == 0 && v.Fact == domain.Nil {
			out.Stores = append(out.Stores, Store{c.Obj.Param, c.Path, Shown{Param: -1}})
		}
		for _, ref := range v.Refs {
			if ref.Obj.Kind == domain.Input && ref.Obj.Param >= 0 && ref.Obj != c.Obj && ref.Rel <= domain.View {
				out.Stores = append(out.Stores, Store{c.Obj.Param, c.Path, Shown{Param: ref.Obj.Param, Rel: ref.Rel}})
			}
		}
	}
	slices.SortFunc(out.Stores, func(a, b Store) int { return cmp.Or(a.Into-b.Into, strings.Compare(a.Path, b.Path), a.Param-b.Param) })
	return out
}

// result returns what v is to a caller.
func (r *run) result(s *domain.State, v domain.Value, returned map[*domain.Object]bool) Result {
	res := Result{Fact: v.Fact}
	show := func(o *domain.Object, rel domain.Rel, grown bool) {
		if shown := (Shown{o.Param, rel, grown}); o.Kind == domain.Input && o.Param >= 0 && rel < domain.Addr && !slices.Contains(res.Params, shown) {
			res.Params = append(res.Params, shown)
		}
	}
	for _, ref := range v.Refs {
		show(ref.Obj, ref.Rel, s.Life.Get(ref.Obj).Grown != nil && !ref.Old && ref.Rel <= domain.Part)
	}
	for _, o := range s.Reach(v) {
		for _, c := range cells(s, o) {
			for _, ref := range s.Mem.Get(c).Refs {
				show(ref.Obj, max(ref.Rel, domain.Inside), false)
			}
		}
	}
	ref, ok := v.Single()
	if !ok || ref.Rel != domain.Whole || returned[ref.Obj] {
		return res
	}
	o, l := ref.Obj, s.Life.Get(ref.Obj)
	switch {
	case o.Kind == domain.Acquired && l.Owned && l.Phase == domain.Live && !l.Escaped:
		res.Fresh = &Fresh{o.Family, o.Pool, o.Pos, o.Fails != nil}
	case o.Kind != domain.Local || l.Escaped || l.Phase != domain.Live || variable(o):
	case r.p.Owns(o.Type):
		for _, x := range s.Reach(v) {
			if m := s.Life.Get(x); x.Kind == domain.Acquired && m.Owned && m.Phase == domain.Live {
				res.Fresh = &Fresh{Family: api.Owner}
			}
		}
	}
	return res
}

// takeOver finds the arguments that the function releases, or returns, on some of its ways: they are its
// own on the others, too.
func (sum *Summary) takeOver() {
	sum.May = make([]bool, len(sum.Used))
	for i := range sum.Used {
		if !slices.ContainsFunc(sum.Outcomes, func(o Outcome) bool { return o.Params[i].Released || o.Params[i].Gone || o.shows(i) }) {
			continue
		}
		for _, o := range sum.Outcomes {
			if e := &o.Params[i]; !e.Released && !e.Escaped && !o.shows(i) {
				e.Gone = true
				sum.May[i] = sum.May[i] || o.In[i] != domain.Nil
			}
		}
	}
}

func (o Outcome) shows(param int) bool {
	return slices.ContainsFunc(o.Results, func(r Result) bool {
		return slices.ContainsFunc(r.Params, func(s Shown) bool { return s.Param == param && s.Rel < domain.View })
	})
}

// applySummary calls a function of the package. It returns false if nothing is known of it.
func (r *run) applySummary(s *domain.State, reg *ssa.Call, fn *ssa.Function, args []domain.Value) ([]*domain.State, bool) {
	t := r.p.Trace(fn)
	if t == nil || t.Summary == nil {
		return nil, false
	}
	at := r.at(reg)
	for i, param := range fn.Params {
		if ir.Counts(param) && slices.ContainsFunc(t.Summary.Outcomes, func(o Outcome) bool { return o.Params[i].Released || o.Params[i].Loans != nil }) {
			r.lose(s, args[i]) // others have references to it
		}
	}
	for i, used := range t.Summary.Used {
		if used && i < len(args) {
			r.useAll(s, args[i], at)
		}
	}
	for _, v := range args {
		r.mayCall(s, v)
		for _, ref := range v.Refs {
			a, ok := ref.Obj.Site.(*ssa.Alloc)
			if ok && (a.Comment == "varargs" || r.p.pooling[fn]) {
				r.lose(s, v) // it may release what is inside
			}
		}
	}
	r.selects = r.selects || t.Summary.Selects
	if reg != nil && len(*reg.Referrers()) == 0 && (fn.Signature.Results().Len() > 0 || !t.Summary.Selects) { // who does not ask knows
		for i, v := range args {
			if slices.ContainsFunc(t.Summary.Outcomes, func(o Outcome) bool { return o.Params[i].Escaped }) {
				r.escape(s, v, at)
			}
		}
	}
	var states []*domain.State
	for _, out := range t.Summary.Outcomes {
		if !excluded(out, args) {
			states = append(states, r.applyOutcome(s.Copy(), reg, fn, t.Summary, out, args))
		}
	}
	return distinct(states), true
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
	at := r.at(reg)
	for i, e := range out.Params {
		if i >= len(args) {
			break
		}
		v := args[i]
		for _, key := range e.Loans {
			r.lend(s, v, key, at)
		}
		if e.Extra > 0 {
			r.share(s, v, e.Extra, at)
		}
		switch {
		case e.Countless:
			for _, ref := range v.Refs {
				r.shareOften(s, ref.Obj)
			}
		case e.Released:
			if r.release(s, v, at); sum.May[i] && len(out.Results) > 0 {
				for _, ref := range v.Refs {
					s.Life.Set(ref.Obj, domain.Life{Phase: domain.Gone})
				}
			}
		case e.Escaped:
			r.escape(s, v, at)
		case e.Gone:
			for _, ref := range v.Refs {
				if ref.Rel < domain.View {
					for _, o := range s.Reach(domain.Value{Refs: []domain.Ref{ref}}) {
						s.Life.Set(o, domain.Life{Phase: domain.Gone})
					}
				}
			}
		}
	}
	if sum.Dirty {
		r.clobber(s)
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
					r.outdate(s, ref, at)
				}
				v = v.Join(domain.Value{Refs: given.As(shown.Rel).Refs})
			}
		}
		if res.Fresh != nil && reg != nil && !guesses(out, args) {
			k := -1
			if len(out.Results) > 1 {
				k = i
			}
			for _, shown := range res.Params {
				if shown.Rel <= domain.Inside && shown.Param < len(args) {
					r.escape(s, args[shown.Param], at)
				}
			}
			o := r.acquire(s, reg, k, res.Fresh.Family, res.Fresh.Pool)
			if o.Helper, o.Inside = fn.Name(), res.Fresh.Pos; res.Fresh.Fails {
				o.Fails = reg
			}
			v = domain.Of(o)
		}
		v.Fact = res.Fact
		results = append(results, v)
	}
	r.setResults(s, reg, results)
	return s
}

// guesses reports whether the outcome is that of an argument that is nil, which this one may be or not.
func guesses(out Outcome, args []domain.Value) bool {
	for i, f := range out.In {
		if i < len(args) && f == domain.Nil && args[i].Fact == domain.Unknown {
			return true
		}
	}
	return false
}

// fails reports whether fn returns an error in this outcome.
func (o Outcome) fails(fn *ssa.Function) bool {
	for i, res := range o.Results {
		if ir.IsError(fn.Signature.Results().At(i).Type()) && res.Fact == domain.NonNil {
			return true
		}
	}
	return false
}

// Row returns what fn does to pooled memory as a row of the table, for other packages; nil if that
// is nothing, or not the same on all of its ways.
func (p *Package) Row(fn *ssa.Function) *api.Func {
	if !p.pooling[fn] {
		return nil
	}
	t := p.Trace(fn)
	if t == nil || t.Summary == nil {
		return nil
	}
	row := &api.Func{}
	known := false
	for i := range fn.Signature.Results().Len() {
		var fresh *Fresh
		mixed := false // some results are the caller's own, or somebody else's
		for _, out := range t.Summary.Outcomes {
			if f := out.Results[i].Fresh; f != nil {
				fresh = f
			}
			mixed = mixed || len(out.Results[i].Params) > 0 || out.Results[i].Fact == domain.Nil && !out.fails(fn)
		}
		if fresh != nil && !mixed {
			row.Family, known = fresh.Family, true
			row.Effects = append(row.Effects, api.Effect{Op: api.Acquire, Res: i})
		}
	}
	for i := range t.Summary.Used {
		var e Effect
		for _, out := range t.Summary.Outcomes {
			e.Released = e.Released || out.Params[i].Released
			e.Escaped = e.Escaped || out.Params[i].Escaped || out.Params[i].Gone && !out.Params[i].Released || len(out.Params[i].Loans) > 0
		}
		switch {
		case e.Released && !slices.ContainsFunc(t.Summary.Outcomes, func(out Outcome) bool {
			return !out.Params[i].Released && !out.Params[i].Gone && out.In[i] != domain.Nil ||
				out.Params[i].Released && slices.Contains(out.In, domain.True) // if it is told to
		}) && !(t.Summary.May[i] && fn.Signature.Results().Len() > 0):
			known = true
			row.Effects = append(row.Effects, api.Effect{Op: api.Release, Arg: i})
		case e.Released || e.Escaped:
			row.Effects = append(row.Effects, api.Effect{Op: api.Opaque, Arg: i})
		}
	}
	if !known {
		return nil
	}
	return row
}
