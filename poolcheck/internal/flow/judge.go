package flow

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// flagged forgets the release of what lies beside a flag that decides a branch, if
// another flag has decided the release: the two may well exclude each other.
func (e *explorer) flagged(s *state, cond ssa.Value) {
	var flags []ssa.Value
	switch c := cond.(type) {
	case *ssa.BinOp:
		flags = []ssa.Value{c.X, c.Y}
	case *ssa.UnOp:
		flags = []ssa.Value{c, c.X}
	}
	for _, f := range flags {
		flag := e.value(s, f).identity()
		if flag == nil || flag.kind != contentObject {
			continue
		}
		for o, st := range s.status {
			if st.phase == released && o.kind == contentObject && o.parent == flag.parent && o != flag && st.decided {
				s.update(o, func(st *status) { st.phase = gone })
			}
		}
	}
}

// decided reports whether anything is known of what lies beside o.
func (s *state) decided(o *object) bool {
	for x := range s.known {
		if x.kind == contentObject && x.parent == o.parent && x != o {
			return true
		}
	}
	return false
}

// measure takes memory as written whose length decides a branch: a loop fills it
// up to there, or a count is held against it.
func (e *explorer) measure(s *state, cond ssa.Value) {
	c, ok := cond.(*ssa.BinOp)
	if !ok {
		return
	}
	for _, side := range []ssa.Value{c.X, c.Y} {
		if call, ok := side.(*ssa.Call); ok && isBuiltinCall(call, "len") {
			e.written(s, e.value(s, call.Call.Args[0]))
		}
	}
}

// longest is a length that content does not have by its kind: what is compared with as
// much, or more, may be too large to keep.
const longest = 1 << 10

// judge marks the memory whose size decides a branch: code that keeps or drops memory by
// its size does so on purpose. The mark is removed where the sides meet.
func (e *explorer) judge(s *state, cond ssa.Value, b *ssa.BasicBlock) {
	sized(cond, 0, func(r ssa.Value, length bool) { e.judgeSize(s, r, length, b) })
	// Code that skips only the release of what is empty, and may be nil, tests for nil.
	c, _ := cond.(*ssa.BinOp)
	if call, k := comparedCall(c); call != nil && k == 0 && isBuiltinCall(call, "len") && mayBeNil(call.Call.Args[0]) && e.shape(b.Parent()).rejoins(b) {
		e.judgeSize(s, call.Call.Args[0], false, b)
	}
}

// comparedCall returns the call of a function of one argument whose result c compares with
// a constant, and the constant.
func comparedCall(c *ssa.BinOp) (*ssa.Call, int64) {
	if c == nil {
		return nil, 0
	}
	k, constant := c.Y.(*ssa.Const)
	call, called := c.X.(*ssa.Call)
	if !constant || !called || !isInteger(k.Type()) || len(call.Call.Args) != 1 {
		return nil, 0
	}
	return call, k.Int64()
}

// sized calls f for each value whose size cond compares with something: its capacity, or
// its length if that is compared with a length that is needed.
func sized(cond ssa.Value, depth int, f func(r ssa.Value, length bool)) {
	if depth > 4 {
		return
	}
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op != token.MUL {
			sized(c.X, depth+1, f)
		}
	case *ssa.BinOp:
		for _, pair := range [][2]ssa.Value{{c.X, c.Y}, {c.Y, c.X}} {
			side, other := pair[0], pair[1]
			sized(side, depth+1, f)
			call, ok := side.(*ssa.Call)
			if _, constant := other.(*ssa.Const); ok && !constant && isBuiltinCall(call, "len") {
				f(call.Call.Args[0], true)
			}
		}
		if call, k := comparedCall(c); call != nil && k >= longest && calleeName(call) == "Len" {
			f(call.Call.Args[0], false)
		}
	case *ssa.Convert:
		sized(c.X, depth+1, f)
	case *ssa.Call:
		judged := false
		if bi, ok := c.Call.Value.(*ssa.Builtin); ok {
			judged = bi.Name() == "cap"
		} else if slices.Contains([]string{"Cap", "Size", "Available", "Capacity", "capacity"}, calleeName(c)) {
			if c.Call.IsInvoke() && len(c.Call.Args) == 0 {
				f(c.Call.Value, false)
				return
			}
			judged = len(c.Call.Args) == 1
		}
		if judged {
			f(c.Call.Args[0], false)
			return
		}
		// A function may do the comparison.
		for _, a := range c.Call.Args {
			if isInteger(a.Type()) {
				sized(a, depth+1, f)
			}
		}
	}
}

// mayBeNil reports whether v is a variable that is nil on some path.
func mayBeNil(v ssa.Value) bool {
	phi, ok := v.(*ssa.Phi)
	return ok && slices.ContainsFunc(phi.Edges, func(x ssa.Value) bool {
		k, constant := x.(*ssa.Const)
		return constant && k.IsNil()
	})
}

// mark records that the branch at the end of b, on o's size or on a setting, may
// decide whether o is released. A size that decided an earlier branch, whose sides have
// not met yet, is the reason for this one, too.
func (e *explorer) mark(s *state, o *object, b *ssa.BasicBlock, setting bool) {
	s.update(o, func(st *status) {
		if st.judged && !st.setting && st.judge != nil && st.judge.Parent() == b.Parent() {
			return
		}
		st.setting = setting && (st.setting || !st.judged)
		st.judged, st.judge, st.judgedAt = true, b, e.frees[e.young(o)]
	})
}

// isFlag reports whether cond is a setting: a field, a global or a parameter. What
// it decides is decided on purpose.
func isFlag(cond ssa.Value) bool {
	switch c := cond.(type) {
	case *ssa.Parameter:
		return true
	case *ssa.UnOp:
		switch c.Op {
		case token.NOT:
			return isFlag(c.X)
		case token.MUL:
			switch c.X.(type) {
			case *ssa.FieldAddr, *ssa.Global:
				return true
			}
		}
	}
	return false
}

// dropOnPurpose marks what a deferred literal has captured if cond tests a flag there that
// the function has set: code that sets it to prevent the release drops the memory on purpose.
func (e *explorer) dropOnPurpose(s *state, cond ssa.Value) {
	if not, ok := cond.(*ssa.UnOp); ok && not.Op == token.NOT {
		cond = not.X
	}
	load, ok := cond.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || e.in == nil || !e.in.deferred {
		return
	}
	if _, captured := load.X.(*ssa.FreeVar); !captured || s.knownOf(e.value(s, load)) != knownTrue {
		return
	}
	for _, v := range e.in.fn.FreeVars {
		e.eachReached(s, e.value(s, v), func(r ref) {
			if r.obj.acq != nil && s.status[r.obj].phase == live {
				s.update(r.obj, func(st *status) { st.judged, st.setting, st.judge = true, false, nil })
			}
		})
	}
}

// judgeSize marks what r shows as judged, and, if r was read from a cell, what the
// cell is in: the size is that of what is there now, not when it was acquired.
// A length says something of the size only before the slice was cut.
func (e *explorer) judgeSize(s *state, r ssa.Value, length bool, b *ssa.BasicBlock) {
	refs := e.value(s, r).refs
	if length && (len(refs) != 1 || refs[0].cut || refs[0].rel != whole || !inBox(refs[0].obj)) {
		return
	}
	if load, ok := r.(*ssa.UnOp); ok && load.Op == token.MUL {
		refs = append(slices.Clip(refs), e.value(s, load.X).refs...)
	}
	for _, x := range refs {
		for o := x.obj; o != nil; o = o.parent {
			e.mark(s, o, b, false)
		}
	}
}
