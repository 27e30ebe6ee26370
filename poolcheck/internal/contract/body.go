package contract

import (
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// sent returns the states in which reg returns, which has sent v as the body of a request, or in one: where the
// request has failed, the Transport may read the body for as long as it likes, unless the body tells by its Close that it is done.
//
// Fixtures: oct005/requests.go, oct005/retries.go.
func (r *run) sent(s *domain.State, reg *ssa.Call, v domain.Value, results []domain.Value, body ssa.Value) []*domain.State {
	if reg == nil || len(results) != 2 || len(s.Reach(v)) == 0 || !r.onlyReads(body) {
		r.SetResults(s, reg, results)
		return []*domain.State{s}
	}
	failed := s.Copy()
	r.Leave(failed, v, reg)
	results[1].Fact = domain.Nil
	r.SetResults(s, reg, results)
	results[1].Fact = domain.NonNil
	r.SetResults(failed, reg, results)
	return paths.Distinct([]*domain.State{s, failed})
}

// onlyReads reports whether a body, or that of a request, is a reader of the standard library, whose Close does nothing.
func (r *run) onlyReads(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.MakeInterface:
		name := ir.TypeName(v.X.Type())
		return name != nil && name.Pkg() != nil && api.Standard(name.Pkg().Path())
	case *ssa.Extract: // of NewRequest
		call, ok := v.Tuple.(*ssa.Call)
		if !ok {
			return false
		}
		if row := r.p.row(&call.Call); row != nil && len(row.Effects) == 1 && row.Effects[0].Op == api.View {
			return r.onlyReads(call.Call.Args[row.Effects[0].Arg])
		}
	}
	return false
}
