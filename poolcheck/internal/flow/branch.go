package flow

import (
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// branch returns the states in which cond is true and in which it is false;
// nil stands for a side that cannot be taken.
func (e *explorer) branch(s *state, cond ssa.Value, b *ssa.BasicBlock) (yes, no *state) {
	if flag, want, ok := comparedFlag(cond); ok {
		if yes, no = e.branch(s, flag, b); !want {
			yes, no = no, yes
		}
		return yes, no
	}
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
	e.foundEmpty(yes, cond, true)
	e.foundEmpty(no, cond, false)
	if !e.assume(yes, cond, true) {
		yes = nil
	}
	if !e.assume(no, cond, false) {
		no = nil
	}
	return yes, no
}

// comparedFlag returns the flag that cond compares with true or false, and which of them it
// is where cond is true.
func comparedFlag(cond ssa.Value) (flag ssa.Value, want, ok bool) {
	c, ok := cond.(*ssa.BinOp)
	if !ok || c.Op != token.EQL && c.Op != token.NEQ {
		return nil, false, false
	}
	k, ok := c.Y.(*ssa.Const)
	if !ok || k.Value == nil || k.Value.Kind() != constant.Bool {
		return nil, false, false
	}
	return c.X, constant.BoolVal(k.Value) == (c.Op == token.EQL), true
}

// foundEmpty records that a list that owns memory has none, if that is so where cond is b.
func (e *explorer) foundEmpty(s *state, cond ssa.Value, b bool) {
	c, ok := cond.(*ssa.BinOp)
	if !ok || !isNumber(c.Y, 0) {
		return
	}
	length, ok := c.X.(*ssa.Call)
	if empty := c.Op == token.EQL && b || (c.Op == token.NEQ || c.Op == token.GTR) && !b; !ok || !empty || !isBuiltinCall(length, "len") {
		return
	}
	for _, x := range e.value(s, length.Call.Args[0]).refs {
		if x.obj.isList() {
			s.update(x.obj, func(st *status) { st.owned = false })
		}
	}
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
		if o.nonNil || o.kind == localObject || o.kind == globalObject || o.kind == pooledObject && o.acq != nil && o.acq.family.Name != "sync.Pool" {
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
			return compare(token.EQL, e.compared(s, o), holds)
		}
	}
	return known{}
}

// compared returns what is known of the comparison o. Of a number that is not n, and that the
// program asks whether it is greater, it is assumed to be: counts and sizes have a least value.
func (e *explorer) compared(s *state, o *object) known {
	if n, ok := strings.CutPrefix(o.path, token.LEQ.String()); ok && s.known[o].kind == anything {
		equal := e.intern(objectKey{parent: o.parent, path: token.EQL.String() + n, age: o.age}, func(*object) {})
		if s.known[equal] == knownFalse {
			return knownFalse
		}
	}
	return s.known[o]
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
		if !b && (isTaken(c) || e.isRemoved(s, c)) {
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
	if equal && e.isOwnSentinel(y) {
		s.takenOver(e.value(s, x))
	} else if equal && e.isOwnSentinel(x) {
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
		if k == knownNonNil {
			s.cameInstead(o)
		}
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
	sel, st := chosen(c)
	switch {
	case st == nil || b != (c.Op == token.EQL):
	case st.Dir == types.SendOnly:
		e.send(s, e.value(s, st.Chan), e.value(s, st.Send), place{st.Pos, sel, e.in})
	default:
		e.receive(s, st.Chan, false)
	}
	return true
}

// chosen returns the select, and its case, that cond asks for, nil if it asks for something else.
func chosen(cond ssa.Value) (*ssa.Select, *ssa.SelectState) {
	c, ok := cond.(*ssa.BinOp)
	if !ok {
		return nil, nil
	}
	x, ok := c.X.(*ssa.Extract)
	if !ok || x.Index != 0 {
		return nil, nil
	}
	sel, ok := x.Tuple.(*ssa.Select)
	k, constant := c.Y.(*ssa.Const)
	if !ok || !constant || k.Int64() < 0 || k.Int64() >= int64(len(sel.States)) {
		return nil, nil
	}
	return sel, sel.States[k.Int64()]
}
