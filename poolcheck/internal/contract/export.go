package contract

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
)

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
		if fresh != nil && !mixed && fresh.Of == nil {
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
