package flow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// An element belongs to the function that loops over a list which another, called pop, receive
// or the like, has removed from somewhere, or which came out of a channel with its struct.

// takesOut are words of the names of functions that remove what they return from somewhere.
var takesOut = []string{
	"pop", "take", "drain", "read", "receive", "recv", "dequeue", "poll", "fetch", "steal", "detach", "next", "collect", "pull",
}

// takeElement records that the function has taken the element v, which i loads, out of
// something, if i is in a loop over a list that a call has removed from there.
func (e *explorer) takeElement(s *state, i *ssa.UnOp, v value) {
	addr, ok := i.X.(*ssa.IndexAddr)
	if !ok || v.identity() == nil {
		return
	}
	head, _ := rangeLoop(addr)
	list := addr.X
	if x, ok := list.(*ssa.Extract); ok && x.Index == 0 {
		list = x.Tuple
	}
	call, ok := list.(*ssa.Call)
	switch {
	case head == nil:
	case ok && takesOutByName(call):
		if o := v.identity(); !o.at.valid() {
			o.at = e.at(call)
		}
		e.takeOver(s, v.identity())
	default:
		if o := e.value(s, addr.X).identity(); o != nil && o.inMessage() {
			if x := v.identity(); !x.at.valid() {
				x.at = o.at
			}
			e.takeOver(s, v.identity())
		}
	}
}

// takesOutByName reports whether call removes what it returns from somewhere, by its name.
func takesOutByName(call *ssa.Call) bool {
	return slices.ContainsFunc(words(calleeName(call)), func(w string) bool { return slices.Contains(takesOut, w) })
}
