package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function that releases what it is given where it fails has taken that over: its
// caller, which learns only that it has failed, cannot know whether to release it. Where
// the function fails in another way and does not, the memory is lost.

// A leftParam is memory that a function was given, and releases on some of the paths that
// fail.
type leftParam struct {
	obj  *object
	at   place
	like token.Pos // where another path that fails releases it
}

// leftParams returns what paths that fail do not release, although others that fail do.
func (e *explorer) leftParams(exits []exit) []leftParam {
	var left []leftParam
	for _, o := range slices.Clone(e.order) {
		if e.frees[o] == 0 || o.age > 0 || !e.isGiven(o) {
			continue
		}
		var lost, gave *exit
		for i, x := range exits {
			st := x.state.status[o]
			switch {
			case o.parent != nil && !x.state.there(o):
			case st.phase == released && !st.rider && (cancelled(x.ret) || e.failsOutright(x)):
				gave = &exits[i]
			case lost == nil && e.leaves(x, o) && e.failsOutright(x):
				lost = &exits[i]
			}
		}
		if lost != nil && gave != nil && alikeResults(*lost, *gave) {
			like := gave.state.status[o].at.level(0).pos
			left = append(left, leftParam{o, e.at(lost.ret), like})
		}
	}
	return left
}

// isGiven reports whether o is a parameter other than the receiver, or memory in a field
// of one, that is behind a pointer or a slice.
func (e *explorer) isGiven(o *object) bool {
	if o.typ == nil || elemOfPointer(o.typ) == nil && !isSlice(o.typ) || o.root().in != nil || o.depth() > 1 {
		return false
	}
	p, ok := o.root().site.(*ssa.Parameter)
	receiver := e.fn.Signature.Recv() != nil && p == e.fn.Params[0]
	return ok && !receiver && (o.depth() == 0 || fieldOfInput(o) != nil || isStruct(p.Type()))
}

// failsOutright reports whether x returns an error, and none by which its caller may tell
// what to do with the memory.
func (e *explorer) failsOutright(x exit) bool {
	if !x.state.fails(x.ret, x.results) && !e.failing(x.state, x.ret) {
		return false
	}
	return !slices.ContainsFunc(x.ret.Results, func(r ssa.Value) bool {
		g, ok := loaded(beforeDefers(x.ret, r)).(*ssa.Global)
		return ok && (token.IsExported(g.Name()) || saysRetry(g.Name()))
	})
}

// cancelled reports whether ret returns the error of a context.
func cancelled(ret *ssa.Return) bool {
	return slices.ContainsFunc(failed(ret), func(c ssa.CallInstruction) bool {
		return c.Parent() == ret.Parent() && c.Common().IsInvoke() && Name(c.Common().Method) == "(context.Context).Err"
	})
}

// saysRetry reports whether an error says by its name that its caller may try again.
func saysRetry(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"full", "again", "retry", "busy", "block", "wait", "short", "more"}, func(s string) bool { return strings.Contains(name, s) })
}

// leaves reports whether x ends with o as it was given.
func (e *explorer) leaves(x exit, o *object) bool {
	st := x.state.status[o]
	returned := slices.ContainsFunc(x.results, func(v value) bool { return v.leadsTo(o) })
	return !returned && st.phase == live && !st.shared() && !st.judged && !st.many && !st.each.valid() &&
		len(st.tasks) == 0 && x.state.known[o].kind != isNil && !x.state.status[o.root()].shared()
}

// alikeResults reports whether no result but the error tells x from y.
func alikeResults(x, y exit) bool {
	for i, v := range x.results {
		a, b := x.state.knownOf(v), y.state.knownOf(y.results[i])
		if a != b && a.kind != anything && b.kind != anything && !types.IsInterface(x.ret.Results[i].Type()) {
			return false
		}
	}
	return true
}

// lostParams returns the reports on what fn leaves that it was given.
func (p *Package) lostParams(fn *ssa.Function) []*Report {
	var reports []*Report
	for _, l := range p.params[fn] {
		reports = append(reports, &Report{
			Code: MissingRelease, Pos: l.at.level(0).pos, Name: l.obj.name(nil), Type: l.obj.typ, Why: Unlike, By: fn.Name(), Like: l.like, object: l.obj,
		})
	}
	return reports
}
