package flow

import (
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// ignored reports whether the caller does not look at the results of c.
func ignored(c *call) bool {
	reg, ok := c.instr.(*ssa.Call)
	return ok && len(*reg.Referrers()) == 0
}

// givesSome records that pointers which the call c gives, and would get back as its result,
// are not nil if the result is ignored: in place of nil the callee may return something
// new, which nobody asks for and then drops.
func (e *explorer) givesSome(s *state, c *call) {
	results := c.common.Signature().Results()
	if !ignored(c) || results.Len() != 1 || elemOfPointer(results.At(0).Type()) == nil {
		return
	}
	for k, a := range c.args {
		if !types.Identical(c.regs[k].Type(), results.At(0).Type()) || s.knownOf(a).kind != anything || !e.returns(s, c, k) {
			continue
		}
		if o := a.identity(); o != nil {
			s.known[o] = knownNonNil
		} else {
			c.args[k].known = knownNonNil
		}
	}
}

// returns reports whether what c calls may return its argument k.
func (e *explorer) returns(s *state, c *call, k int) bool {
	var sum *Summary
	switch t := e.target(s, c); {
	case t.fn != nil && len(t.fn.Blocks) > 0:
		sum = e.summary(t.fn)
	case t.obj != nil:
		sum = e.imported(t.obj)
	}
	return sum != nil && slices.ContainsFunc(sum.Outcomes, func(o Outcome) bool {
		return len(o.Results) == 1 && slices.Contains(o.Results[0].Refs, DescRef{Path: strconv.Itoa(k)})
	})
}
