package counts

import (
	"cmp"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/flow"
)

// A loss is a reference that a path has lost.
type loss struct {
	of    *thing
	list  *thing          // that has it, nil if none has
	by    ssa.Instruction // that the reference came by
	where ssa.Instruction // the return, or what replaces it
}

// A repeat is a release of what has been released.
type repeat struct {
	of           *thing
	first, again ssa.Instruction
}

// lose notes that a path loses a reference to t.
func (r *runner) lose(t *thing, h holding, where ssa.Instruction) {
	l := loss{of: t, by: h.by, where: where}
	if h.from != nil {
		l.of, l.list = h.from, t
	}
	if _, made := l.of.site.(*ssa.Alloc); made || h.by == nil {
		return // what the function makes itself may have nothing to release yet
	}
	if !slices.Contains(r.lost, l) {
		r.lost = append(r.lost, l)
	}
}

// leave looks at what the path that ends with x owns.
func (r *runner) leave(x exit) {
	for t, h := range x.state.holdings {
		if isParameter(t) || h.n <= 0 || h.void || h.unsure {
			continue
		}
		r.lose(t, h, x.ret)
	}
}

// releasedAgain notes that instr releases t, if its only reference has been released before.
func (r *runner) releasedAgain(s *state, t *thing, instr ssa.Instruction) {
	h := s.holdings[t]
	if _, call := t.site.(*ssa.Call); !call || h.n != 0 || h.void || h.kept || h.released == nil || h.released == instr {
		return
	}
	if p := (repeat{t, h.released, instr}); !slices.Contains(r.again, p) {
		r.again = append(r.again, p)
	}
}

// reports returns what is wrong in the function.
func (r *runner) reports() []*flow.Report {
	var out []*flow.Report
	slices.SortFunc(r.lost, func(a, b loss) int {
		return cmp.Or(cmp.Compare(a.where.Pos(), b.where.Pos()), cmp.Compare(a.by.Pos(), b.by.Pos()), cmp.Compare(a.of.id, b.of.id))
	})
	seen := make(map[token.Pos]bool)
	for _, l := range r.lost {
		call, ok := l.by.(ssa.CallInstruction)
		if !ok || r.loose[l.of] || r.loose[l.list] || seen[call.Pos()] || !call.Pos().IsValid() {
			continue
		}
		seen[call.Pos()] = true
		report := &flow.Report{
			Code: flow.MissingRelease, Pos: call.Pos(), Name: r.nameOf(l.of), Other: l.where.Pos(), Type: l.of.site.Type(),
			Steps: []flow.Step{{Pos: call.Pos(), What: flow.Acquires}, {Pos: l.where.Pos(), What: flow.Ends}},
		}
		if made, _ := l.by.(ssa.Value); made != l.of.site {
			report.Why, report.By = flow.Unowned, nameOfCallee(call.Common())
		}
		out = append(out, report)
	}
	for _, p := range r.again {
		if seen[p.again.Pos()] {
			continue
		}
		seen[p.again.Pos()] = true
		out = append(out, &flow.Report{
			Code: flow.DoubleRelease, Pos: p.again.Pos(), Name: r.nameOf(p.of), Acquired: p.of.site.Pos(), Other: p.first.Pos(), Type: p.of.site.Type(),
			Steps: []flow.Step{{Pos: p.of.site.Pos(), What: flow.Acquires}, {Pos: p.first.Pos(), What: flow.Ends}, {Pos: p.again.Pos(), What: flow.Faults}},
		})
	}
	return out
}

// nameOf returns the variable that t was assigned to first, or says what made it.
func (r *runner) nameOf(t *thing) string {
	if name := r.names.Name(t.site); name != "" {
		return name
	}
	if call, ok := t.site.(*ssa.Call); ok {
		if name := nameOfCallee(&call.Call); name != "" {
			return "the result of " + name
		}
	}
	return ""
}

func nameOfCallee(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.Name()
	}
	if fn := c.StaticCallee(); fn != nil {
		return fn.Name()
	}
	return ""
}
