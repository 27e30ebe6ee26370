package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A release that takes back what the function has acquired on one path, and what a field has
// on another, gives the pool memory that the field goes on using.

// A keeping is such a release.
type keeping struct {
	obj   *object
	field *types.Var
	pos   token.Pos
}

// takesBack notes that what goes back at the place at was acquired here, and by nobody else.
func (e *explorer) takesBack(o *object, st status, at place) {
	if o.acq != nil && st.owned && !st.shared() {
		e.own[at] = true
	}
}

// keptInFields returns the releases of memory that a field still has afterwards.
func (e *explorer) keptInFields(exits []exit) []keeping {
	if isEnd(e.fn.Name()) {
		return nil
	}
	var kept []keeping
	for _, x := range exits {
		for _, o := range sortedObjects(x.state.status) {
			st, f := x.state.status[o], fieldWithin(o)
			if f == nil || st.phase != released || st.rider || x.state.status[o.parent].phase != live || !x.state.there(o) {
				continue
			}
			k := keeping{o, f, st.at.level(0).pos}
			if e.own[st.at] && !slices.Contains(kept, k) {
				kept = append(kept, k)
			}
		}
	}
	return kept
}

// foreignFields returns the reports on releases in fn of what a field keeps. If something
// else releases what is in the field, too, that is the pool's there.
func (p *Package) foreignFields(fn *ssa.Function) []*Report {
	var reports []*Report
	for _, k := range p.kept[fn] {
		elsewhere := false
		for other := range p.fieldFrees[k.field] {
			elsewhere = elsewhere || other != fn && !p.callsInside(fn, other)
		}
		if !elsewhere {
			reports = append(reports, &Report{Code: ForeignRelease, Pos: k.pos, Name: k.obj.name(nil), Type: k.obj.typ, object: k.obj})
		}
	}
	return reports
}

// callsInside reports whether fn calls other.
func (p *Package) callsInside(fn, other *ssa.Function) bool {
	return slices.ContainsFunc(p.usesOf().calls[other], func(c ssa.CallInstruction) bool { return c.Parent() == fn })
}
