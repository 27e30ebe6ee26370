package flow

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Code elsewhere that is given a function literal can do no more to what it captures than
// the literal does. If the literal only uses pooled memory, the memory is still the
// function's own to release when the call ends, unless the literal is kept.

// keepsLiteral begins the names of what may keep a function that it is given.
var keepsLiteral = []string{
	"on", "handle", "register", "add", "set", "put", "store", "push", "subscribe", "go", "start", "spawn", "run", "after", "schedule",
	"submit", "enqueue", "queue", "post", "send", "defer", "cleanup", "listen", "watch", "serve", "use", "notify", "new", "make", "create", "with", "wrap", "async",
}

// lendLiteral records that code elsewhere runs the literal that v is while it is called by
// c. It reports whether that is all that the code can do to pooled memory.
func (e *explorer) lendLiteral(s *state, v value, c *call) bool {
	o := v.identity()
	if o == nil || !e.leadToPooled(s, []value{v}) || !returnsNothingOf(c.common.Signature()) {
		return false
	}
	mc, ok := o.site.(*ssa.MakeClosure)
	if !ok || mc.Fn.(*ssa.Function).Parent() == nil || slices.Contains(keepsLiteral, strings.ToLower(firstWord(calledName(c)))) {
		return false
	}
	inner := &call{common: &ssa.CallCommon{Value: mc}, fun: v, instr: c.instr, at: c.at}
	shared, gives, unknown, lent, changed := e.handedTo(s, inner)
	for o := range shared {
		if gives[o] || unknown[o] || lent[o] {
			s.update(o, (*status).share)
		}
	}
	for p := range changed {
		for _, r := range s.mem[p].all() {
			s.update(r.obj, (*status).share)
		}
		s.mem[p] = value{stale: true}
	}
	for k, fv := range mc.Fn.(*ssa.Function).FreeVars {
		if !onlyRead(fv) {
			e.lendTo(s, s.mem[cell{o, fmt.Sprintf("#%d", k)}])
		}
	}
	return true
}

// onlyRead reports whether the literal that has captured the variable v only reads it.
func onlyRead(v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.UnOp, *ssa.DebugRef:
			return false
		case *ssa.MakeClosure:
			fn := use.Fn.(*ssa.Function)
			k := slices.Index(use.Bindings, v)
			return k >= len(fn.FreeVars) || !onlyRead(fn.FreeVars[k])
		}
		return true
	})
}

// returnsNothingOf reports whether the results of sig are numbers and the like, so that
// they do not lead to what the call was given.
func returnsNothingOf(sig *types.Signature) bool {
	for v := range sig.Results().Variables() {
		_, basic := v.Type().Underlying().(*types.Basic)
		iface, empty := v.Type().Underlying().(*types.Interface)
		if !basic && !isError(v.Type()) && !(empty && iface.NumMethods() == 0) {
			return false
		}
	}
	return true
}
