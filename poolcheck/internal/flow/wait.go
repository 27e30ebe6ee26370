package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A function that is not run where it is called may wait for goroutines all the same.

// awaits records that the goroutines have ended if the call of t may wait for them: its
// body does, or its name says so and the body is unknown.
func (e *explorer) awaits(s *state, t target, c *call) {
	waits := false
	if t.fn != nil && len(t.fn.Blocks) > 0 {
		waits = e.mayWait(t.fn)
	} else {
		name := strings.ToLower(calleeName(c.instr))
		waits = slices.ContainsFunc([]string{"wait", "join", "close", "stop", "flush", "sync", "shutdown", "drain"}, func(verb string) bool {
			return strings.HasPrefix(name, verb)
		})
	}
	if waits {
		e.joinAll(s)
	}
}

// mayWait reports whether fn, or a function that it calls, receives from a channel or
// waits for a group or a condition.
func (p *Package) mayWait(fn *ssa.Function) bool {
	seen := make(map[*ssa.Function]bool)
	waits := p.findWait(fn, seen)
	if waits {
		p.waits[fn] = true // which of the others do is not known: they may call each other
		return true
	}
	for fn := range seen {
		p.waits[fn] = false
	}
	return false
}

// findWait is mayWait for functions that are not in seen, to which it adds them.
func (p *Package) findWait(fn *ssa.Function, seen map[*ssa.Function]bool) bool {
	if waits, ok := p.waits[fn]; ok {
		return waits
	}
	if seen[fn] {
		return false
	}
	seen[fn] = true
	return does(fn, func(instr ssa.Instruction) bool {
		switch i := instr.(type) {
		case *ssa.UnOp:
			return i.Op == token.ARROW
		case *ssa.Select:
			return slices.ContainsFunc(i.States, func(st *ssa.SelectState) bool { return st.Dir == types.RecvOnly && !isClock(st.Chan) })
		case *ssa.Call:
			callee := i.Call.StaticCallee()
			return callee != nil && (strings.HasPrefix(callee.Name(), "Wait") || callee.Pkg == fn.Pkg && p.findWait(callee, seen))
		}
		return false
	})
}

// drained records that the goroutines that write to a pipe have ended if v leads to the
// other side of it: who is given that reads it to the end.
func (e *explorer) drained(s *state, v value) {
	e.eachReached(s, v, func(x ref) {
		if !isPipe(x.obj) {
			return
		}
		writes := func(t *task) bool {
			return slices.ContainsFunc(t.channels, func(o *object) bool { return o.site == x.obj.site && o.in == x.obj.in })
		}
		for o, st := range s.status {
			if slices.ContainsFunc(st.tasks, writes) {
				s.update(o, func(st *status) { st.tasks = slices.DeleteFunc(slices.Clone(st.tasks), writes) })
			}
		}
	})
}

// isPipe reports whether o is one side of an io.Pipe.
func isPipe(o *object) bool {
	call, ok := o.site.(*ssa.Call)
	return ok && call.Call.StaticCallee() != nil && call.Call.StaticCallee().String() == "io.Pipe"
}
