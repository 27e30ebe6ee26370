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
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// A Summary is what a function promises.
type Summary struct {
	Outcomes []Outcome
	Used     []bool  // which arguments it reads or writes
	Dirty    bool    // it may write to memory that it was given
	May      []bool  // which arguments it releases on some of its ways and not on others
	Turns    []Place // the decoders that it reads from
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
	Kept                    bool // in a map or a list
	Handed                  bool // another goroutine was given it, and nothing has waited since
	Left                    bool // a Transport may have it still
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
	Of     *Place    // of a window, the decoder
	Rel    domain.Rel
}

// A Place is an argument, or what is read out of it by a path of fields.
type Place struct {
	Param int
	Path  string
}

const maxOutcomes = 8

// summarize returns what the exits have in common, nil if they are too many.
func (r *run) summarize(exits []paths.Exit) *Summary {
	sum := &Summary{Dirty: r.Dirty}
	for _, o := range r.Inputs {
		sum.Used = append(sum.Used, o != nil && r.Used[o])
	}
	for decoder := range r.Turned {
		sum.Turns = append(sum.Turns, Place{decoder.Obj.Param, decoder.Path})
	}
	slices.SortFunc(sum.Turns, func(a, b Place) int { return cmp.Or(a.Param-b.Param, strings.Compare(a.Path, b.Path)) })
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
func (r *run) outcome(x paths.Exit) Outcome {
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
	for _, o := range r.Inputs {
		var e Effect
		if o != nil {
			l := x.State.Life.Get(o)
			e = Effect{
				Released: l.Phase == domain.Released, Escaped: l.Escaped, Gone: l.Phase == domain.Gone,
				Extra: l.Extra, Countless: o.Countless, Kept: l.Kept != nil,
				Handed: l.Phase == domain.Live && l.Handed != nil && !l.Waited,
				Left:   l.Phase == domain.Live && l.Left,
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
		for _, c := range paths.Cells(s, o) {
			for _, ref := range s.Mem.Get(c).Refs {
				show(ref.Obj, max(ref.Rel, domain.Inside), false)
			}
		}
	}
	ref, ok := v.Single()
	if !ok || returned[ref.Obj] {
		return res
	}
	o, l := ref.Obj, s.Life.Get(ref.Obj)
	switch of := l.Source; {
	case of.Obj != nil:
		if l.Phase == domain.Live && of.Obj.Kind == domain.Input && of.Obj.Param >= 0 {
			res.Fresh = &Fresh{Family: o.Family, Pos: o.Pos, Of: &Place{of.Obj.Param, of.Path}, Rel: ref.Rel}
		}
	case ref.Rel != domain.Whole:
	case o.Kind == domain.Acquired && l.Owned && l.Phase == domain.Live && !l.Escaped:
		res.Fresh = &Fresh{Family: o.Family, Pool: o.Pool, Pos: o.Pos, Fails: o.Fails != nil}
	case o.Kind != domain.Local || l.Escaped || l.Phase != domain.Live || paths.Variable(o):
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
//
// Fixtures: alike/undecided.go, oct001/fitting.go, oct003/sizes.go.
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

// hands reports whether the function gives an argument to another goroutine on each of its ways. One that does so on some
// may say by other means whether it did.
//
// Fixtures: oct005/helper.go.
func (sum *Summary) hands(param int) bool {
	return len(sum.Outcomes) > 0 && !slices.ContainsFunc(sum.Outcomes, func(o Outcome) bool { return !o.Params[param].Handed })
}

func (o Outcome) shows(param int) bool {
	return slices.ContainsFunc(o.Results, func(r Result) bool {
		return slices.ContainsFunc(r.Params, func(s Shown) bool { return s.Param == param && s.Rel < domain.View })
	})
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
