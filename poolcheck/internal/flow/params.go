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
// the function fails in another way and does not, the memory is lost. A function without
// results tells its caller nothing at all: if it releases what it is given where all goes
// well, it is to do so where a call has failed, too.

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
		if e.fn.Signature.Results().Len() == 0 {
			left = append(left, e.leftSilently(exits, o)...)
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

// leftSilently returns where a function without results leaves o although a path on which
// nothing fails releases it.
func (e *explorer) leftSilently(exits []exit, o *object) []leftParam {
	var lost, gave *exit
	for i, x := range exits {
		st := x.state.status[o]
		switch fails := afterError(x.ret); {
		case o.parent != nil && !x.state.there(o):
		case st.phase == released && !st.rider && !fails:
			gave = &exits[i]
		case st.phase == gone && gave == nil && !fails:
			gave = &exits[i] // the last of its references, perhaps
		case lost == nil && fails && e.leaves(x, o):
			lost = &exits[i]
		}
	}
	if lost == nil || gave == nil {
		return nil
	}
	return []leftParam{{o, e.at(lost.ret), gave.state.status[o].at.level(0).pos}}
}

// afterError reports whether a branch before ret has found that a call has returned an error,
// and nobody is told.
func afterError(ret *ssa.Return) bool {
	for b := ret.Block(); b.Idom() != nil; b = b.Idom() {
		if slices.ContainsFunc(b.Instrs, tells) {
			return false
		}
		if errorBranch(b.Idom(), b) != nil {
			return true
		}
	}
	return false
}

// tells reports whether instr sends something, or stores it where others may find it.
func tells(instr ssa.Instruction) bool {
	switch i := instr.(type) {
	case *ssa.Send, *ssa.Select:
		return true
	case *ssa.Store:
		switch i.Addr.(type) {
		case *ssa.FreeVar, *ssa.FieldAddr, *ssa.Global:
			return true
		}
	}
	return false
}

// isGiven reports whether o is a parameter other than the receiver, or memory in a field
// of one, that is behind a pointer or a slice; or what a goroutine has of the function that
// started it.
func (e *explorer) isGiven(o *object) bool {
	if o.typ == nil || elemOfPointer(o.typ) == nil && !isSlice(o.typ) || o.root().in != nil || o.depth() > 1 {
		return false
	}
	switch p := o.root().site.(type) {
	case *ssa.Parameter:
		receiver := e.fn.Signature.Recv() != nil && p == e.fn.Params[0]
		return !receiver && (o.depth() == 0 || fieldOfInput(o) != nil || isStruct(p.Type()))
	case *ssa.FreeVar:
		return o.depth() == 1 && o.path == "" && onlyStarted(e.fn)
	}
	return false
}

// onlyStarted reports whether all that is done with the literal fn is to start goroutines.
func onlyStarted(fn *ssa.Function) bool {
	if fn.Referrers() == nil {
		return false
	}
	return !slices.ContainsFunc(*fn.Referrers(), func(use ssa.Instruction) bool {
		lit, ok := use.(*ssa.MakeClosure)
		return !ok || slices.ContainsFunc(*lit.Referrers(), func(use ssa.Instruction) bool {
			_, started := use.(*ssa.Go)
			_, debug := use.(*ssa.DebugRef)
			return !started && !debug
		})
	})
}

// failsOutright reports whether x returns an error, and none by which its caller may tell
// what to do with the memory.
func (e *explorer) failsOutright(x exit) bool {
	if !x.state.fails(x.ret, x.results) && !e.failing(x.state, x.ret) {
		return false
	}
	return !slices.ContainsFunc(x.ret.Results, func(r ssa.Value) bool {
		load, ok := beforeDefers(x.ret, r).(*ssa.UnOp)
		if !ok {
			return false
		}
		g, ok := load.X.(*ssa.Global)
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
	by := fn.Name()
	if fn.Parent() != nil {
		by = "the goroutine"
	}
	for _, l := range p.params[fn] {
		reports = append(reports, &Report{
			Code: MissingRelease, Pos: l.at.level(0).pos, Name: l.obj.name(nil), Type: l.obj.typ, Why: Unlike, By: by, Like: l.like, object: l.obj,
		})
	}
	return reports
}
