package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// branch returns the states in which cond is true and in which it is false;
// nil stands for a side that cannot be taken.
func (e *explorer) branch(s *state, cond ssa.Value, b *ssa.BasicBlock) (yes, no *state) {
	e.dropOnPurpose(s, cond)
	switch e.truth(s, cond) {
	case knownTrue:
		return s, nil
	case knownFalse:
		return nil, s
	}
	e.judge(s, cond, b)
	if isFlag(cond) {
		for o, st := range s.status {
			if (o.acq != nil || o.taken) && st.owned && st.phase == live {
				e.mark(s, o, b, true)
			}
		}
	}
	e.measure(s, cond)
	e.flagged(s, cond)
	yes, no = s, s.copy()
	if !e.assume(yes, cond, true) {
		yes = nil
	}
	if !e.assume(no, cond, false) {
		no = nil
	}
	return yes, no
}

// knownOf returns what is known of the value v.
func (s *state) knownOf(v value) known {
	if v.known.kind != anything {
		return v.known
	}
	if o := v.identity(); o != nil {
		if k, ok := s.known[o]; ok {
			return k
		}
		if o.kind == localObject || o.kind == globalObject || o.kind == pooledObject && o.acq != nil && o.acq.family.Name != "sync.Pool" {
			return knownNonNil
		}
		return known{}
	}
	if len(v.refs) > 0 && v.refs[0].path != "" && v.refs[0].rel == whole {
		return knownNonNil
	}
	return known{}
}

// truth returns knownTrue or knownFalse if s decides cond.
func (e *explorer) truth(s *state, cond ssa.Value) known {
	if k := s.knownOf(e.value(s, cond)); k.kind == isConst {
		return k
	}
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			switch e.truth(s, c.X) {
			case knownTrue:
				return knownFalse
			case knownFalse:
				return knownTrue
			}
		}
	case *ssa.BinOp:
		x, y := e.value(s, c.X), e.value(s, c.Y)
		if k := s.same(x, y); k.kind == isConst && (c.Op == token.EQL || c.Op == token.NEQ) {
			return compare(c.Op, k, knownTrue)
		}
		if k := compare(c.Op, s.knownOf(x), s.knownOf(y)); k.kind != anything {
			return k
		}
		if o, holds := e.comparison(s, c); o != nil {
			return compare(token.EQL, s.known[o], holds)
		}
	}
	return known{}
}

// comparison returns the object for what a branch has shown of the comparison c, of an
// input or of what a cell held when the function began, with a constant: c is true if
// what is known of the object equals holds. The object is nil for other comparisons.
func (e *explorer) comparison(s *state, c *ssa.BinOp) (o *object, holds known) {
	x, y, op := e.value(s, c.X), e.value(s, c.Y), c.Op
	if s.knownOf(x).kind == isConst {
		x, y = y, x
		switch op {
		case token.LSS:
			op = token.GTR
		case token.LEQ:
			op = token.GEQ
		case token.GTR:
			op = token.LSS
		case token.GEQ:
			op = token.LEQ
		}
	}
	with := s.knownOf(y)
	of := x.identity()
	if with.kind != isConst || of == nil || of.kind != contentObject && of.kind != inputObject {
		return nil, known{}
	}
	holds = knownTrue
	switch op {
	case token.NEQ:
		op, holds = token.EQL, knownFalse
	case token.GEQ:
		op, holds = token.LSS, knownFalse
	case token.GTR:
		op, holds = token.LEQ, knownFalse
	}
	switch op {
	case token.EQL, token.LSS, token.LEQ:
		return e.intern(objectKey{parent: of, path: op.String() + with.val, age: of.age}, func(*object) {}), holds
	}
	return nil, known{}
}

// same returns whether x and y are the same, if that is known: pointers, pooled memory, or
// what a field had when the function began.
func (s *state) same(x, y value) known {
	a, b := x.identity(), y.identity()
	switch {
	case a == nil || b == nil || len(x.refs) > 1 || len(y.refs) > 1:
		return known{}
	case a.acq == nil && b.acq != nil:
		return s.same(y, x)
	case a.acq == nil && a.kind != contentObject && (a != b || elemOfPointer(a.typ) == nil):
		return known{}
	case a == b:
		return knownTrue
	case a.acq != nil && b.kind == contentObject && b.root().kind == inputObject && s.known[a].kind != isNil:
		return knownFalse // it was not out of the pool then
	case a.acq != nil && b.acq != nil && s.status[a].phase == live && s.status[b].phase == live && s.known[a].kind != isNil:
		return knownFalse
	}
	return known{}
}

func compare(op token.Token, x, y known) known {
	result := func(b bool) known {
		if b {
			return knownTrue
		}
		return knownFalse
	}
	switch {
	case x.kind == anything || y.kind == anything:
		return known{}
	case x.kind == isConst && y.kind == isConst:
		a, errA := strconv.ParseInt(x.val, 10, 64)
		b, errB := strconv.ParseInt(y.val, 10, 64)
		switch op {
		case token.EQL:
			return result(x.val == y.val)
		case token.NEQ:
			return result(x.val != y.val)
		}
		if errA != nil || errB != nil {
			return known{}
		}
		switch op {
		case token.ADD, token.SUB:
			return arithmetic(op, x, y)
		case token.LSS:
			return result(a < b)
		case token.LEQ:
			return result(a <= b)
		case token.GTR:
			return result(a > b)
		case token.GEQ:
			return result(a >= b)
		}
	case x.kind == isNil && y.kind == isNil:
		return result(op == token.EQL)
	case x.kind == isNil && y.kind == nonNil, x.kind == nonNil && y.kind == isNil:
		return result(op == token.NEQ)
	}
	return known{}
}

// assume records in s that cond is b. It reports whether that can be.
func (e *explorer) assume(s *state, cond ssa.Value, b bool) bool {
	k := knownFalse
	if b {
		k = knownTrue
	}
	e.learn(s, cond, k)
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return e.assume(s, c.X, !b)
		}
	case *ssa.BinOp:
		if o, holds := e.comparison(s, c); o != nil {
			s.known[o] = compare(token.EQL, holds, k)
		}
		if c.Op == token.EQL || c.Op == token.NEQ {
			return e.equal(s, c.X, c.Y, b == (c.Op == token.EQL)) && e.selected(s, c, b)
		}
	case *ssa.Extract:
		// A failed assertion gives nil, or something that came from elsewhere.
		if ta, ok := c.Tuple.(*ssa.TypeAssert); ok && c.Index == 1 && !b {
			if o := e.value(s, ta.X).identity(); o != nil && o.acq != nil {
				s.known[o] = knownNil
			}
		}
		if !b && isTaken(c) {
			e.tookNothing(s, c)
		}
	case *ssa.Call:
		if f := c.Call.StaticCallee(); f != nil && f.String() == "(*time.Timer).Stop" {
			e.stopped(s, e.value(s, c.Call.Args[0]), b)
		}
		// errors.Is and errors.As are false for nil.
		if f := c.Call.StaticCallee(); b && f != nil && len(c.Call.Args) > 0 && f.Pkg != nil &&
			f.Pkg.Pkg.Path() == "errors" && (f.Name() == "Is" || f.Name() == "As") {
			e.learn(s, c.Call.Args[0], knownNonNil)
		}
	}
	return true
}

// equal records that x and y are equal, or that they are not.
func (e *explorer) equal(s *state, x, y ssa.Value, equal bool) bool {
	if equal && isOwnSentinel(y) {
		s.takenOver(e.value(s, x))
	} else if equal && isOwnSentinel(x) {
		s.takenOver(e.value(s, y))
	}
	kx, ky := s.knownOf(e.value(s, x)), s.knownOf(e.value(s, y))
	if ky.kind == anything {
		x, ky = y, kx
	}
	switch {
	case ky.kind == isNil && equal:
		return e.learn(s, x, knownNil)
	case ky.kind == isNil:
		return e.learn(s, x, knownNonNil)
	case ky.kind == isConst && equal:
		return e.learn(s, x, ky)
	case ky.kind == isConst && (ky == knownTrue || ky == knownFalse):
		if ky == knownTrue {
			return e.learn(s, x, knownFalse)
		}
		return e.learn(s, x, knownTrue)
	case ky.kind == nonNil && equal:
		return e.learn(s, x, knownNonNil)
	}
	return true
}

// learn records that r is k, unless the contrary is known.
func (e *explorer) learn(s *state, r ssa.Value, k known) bool {
	v := e.value(s, r)
	if have := s.knownOf(v); have.kind != anything {
		if have.kind == nonNil && k.kind == isNil || have.kind == isNil && k.kind != isNil {
			return false
		}
		return have.kind != isConst || k.kind != isConst || have == k
	}
	if o := v.identity(); o != nil {
		s.known[o] = k
		return true
	}
	v.known = k
	if _, constant := r.(*ssa.Const); !constant {
		s.env[r] = v
	}
	return true
}

// selected applies what happens on the case of a select that was chosen.
func (e *explorer) selected(s *state, c *ssa.BinOp, b bool) bool {
	x, ok := c.X.(*ssa.Extract)
	if !ok || x.Index != 0 || b != (c.Op == token.EQL) {
		return true
	}
	sel, ok := x.Tuple.(*ssa.Select)
	if !ok {
		return true
	}
	k, ok := c.Y.(*ssa.Const)
	if !ok {
		return true
	}
	i := int(k.Int64())
	if i < 0 || i >= len(sel.States) {
		return true
	}
	st := sel.States[i]
	if st.Dir == types.SendOnly {
		e.send(s, e.value(s, st.Chan), e.value(s, st.Send), place{st.Pos, sel, e.in})
	} else {
		e.receive(s, st.Chan, false)
	}
	return true
}

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
		call, ok := side.(*ssa.Call)
		if !ok {
			continue
		}
		if b, ok := call.Call.Value.(*ssa.Builtin); ok && b.Name() == "len" {
			e.written(s, e.value(s, call.Call.Args[0]))
		}
	}
}

// longest is a length that content does not have by its kind: what is compared with as
// much, or more, may be too large to keep.
const longest = 1 << 10

// judge marks the memory whose size decides a branch: who keeps or drops
// memory by its size does so on purpose. The mark is gone where the sides meet.
func (e *explorer) judge(s *state, cond ssa.Value, b *ssa.BasicBlock) {
	sized(cond, 0, func(r ssa.Value, length bool) { e.judgeSize(s, r, length, b) })
	// Who only skips the release of what is empty, and may be nil, tests for nil.
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

// sized calls f for what cond compares the size of. That may be its length if it is held
// against one that is needed.
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
		} else if f := c.Call.StaticCallee(); f != nil {
			switch f.Name() {
			case "Cap", "Size", "Available":
				judged = len(c.Call.Args) == 1
			}
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

// dropOnPurpose marks what a deferred literal has captured if cond looks there at a flag
// that the function has set: who sets it to keep a release from running drops on purpose.
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
