package rules

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// leaks reports what the function has acquired and, where it returns, neither releases nor hands on.
func (c *checker) leaks(t *contract.Trace) {
	type leak struct {
		exit paths.Exit
		life domain.Life
	}
	lost := make(map[*domain.Object]leak)
	var order []*domain.Object
	for _, x := range t.Exits {
		returned := make(map[*domain.Object]bool)
		for _, v := range x.Results {
			for _, o := range x.State.Reach(v) {
				returned[o] = true
			}
		}
		for o, l := range x.State.Life.All() {
			if o.Kind != domain.Acquired || o.Site.Parent() != x.Return.Parent() || returned[o] || !c.lost(o, l) {
				continue
			}
			if old, ok := lost[o]; !ok {
				order = append(order, o)
				lost[o] = leak{x, l}
			} else if position(x.Return) < position(old.exit.Return) {
				lost[o] = leak{x, l}
			}
		}
	}
	slices.SortFunc(order, func(a, b *domain.Object) int { return a.ID - b.ID })
	for _, o := range order {
		x := lost[o].exit
		c.leak(t, o, x.Return, lost[o].life, fails(x) || afterError(x.Return))
	}
}

// lost reports whether o, whose life ends with l, is lost.
func (c *checker) lost(o *domain.Object, l domain.Life) bool {
	return l.Phase == domain.Live && l.Owned && !l.Shared() && !l.Weighed && !l.Failed && c.p.Puts(o)
}

// again reports that a loop acquires another instance of what it has lost.
func (c *checker) again(t *contract.Trace, e paths.Event) {
	if c.lost(e.Ref.Obj, e.Life) {
		c.leak(t, e.Ref.Obj, e.At, e.Life, true)
	}
}

func (c *checker) leak(t *contract.Trace, o *domain.Object, at ssa.Instruction, l domain.Life, failed bool) {
	loop := position(at) == o.Pos
	released := slices.ContainsFunc(t.Events, func(e paths.Event) bool { return e.Kind == paths.Releases && e.Ref.Obj == o })
	if decided(t, o, at) || released && !loop && !failed || loop && asked(t, o) {
		return
	}
	if slices.ContainsFunc(c.reports, func(r *Report) bool { return r.Code == "OCT004" && r.Object == o }) {
		return
	}
	r := c.report("OCT004", o, at, at)
	r.Pos = o.Pos
	r.Loop = loop
	r.loans = l.Loans
	r.Steps = slices.DeleteFunc(r.Steps, func(s Step) bool { return s.What == Faults })
	r.Fixable = !released && l.Loans == nil && !r.Loop
	call := o.Site
	r.Dropped = call.Referrers() == nil || len(*call.Referrers()) == 0
}
