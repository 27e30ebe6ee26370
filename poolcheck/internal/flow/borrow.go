package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// What the standard library is given, it borrows, except for what the table says.

// borrow touches the arguments of a function that does not keep them.
func (e *explorer) borrow(s *state, row *api.Func, c *call) {
	released, read := map[int]bool{}, map[int]bool{}
	for _, f := range row.Effects {
		switch f.Op {
		case api.Release:
			released[f.Arg] = true
		case api.Spawn, api.Mention:
			released[f.Arg] = true
		case api.Read, api.Fill, api.Whole, api.Part, api.View, api.Wrap, api.Lengthen, api.Hold, api.StoreIn, api.Share, api.Keep, api.Consume, api.Transport:
			read[f.Arg] = true
		case api.Empty:
			if len(row.Effects) > 1 {
				released[f.Arg] = true // emptied and filled again
			}
		}
	}
	for i, a := range c.args {
		if released[i] || !carries(c.regs[i].Type()) {
			continue
		}
		if !e.touchByMethods(s, c, i) {
			e.touchArg(s, a, c.at)
		}
		e.drained(s, a)
		e.answered(s, a, c)
		if read[i] {
			continue
		}
		e.written(s, a)
		if row.Family != nil {
			continue
		}
		// The standard library may write to what a pointer points to, and call
		// a function that it is given.
		switch c.regs[i].Type().Underlying().(type) {
		case *types.Pointer, *types.Interface:
			for _, x := range a.refs {
				if x.rel < view && x.obj.kind != globalObject && !e.constantCell(x.obj) && x.obj.acq == nil && !e.unchangedBy(s, c, i, x) {
					e.clobberForeign(s, x)
				}
			}
		case *types.Signature:
			if !e.lendLiteral(s, a, c) {
				e.surrender(s, a, nil)
			}
		}
	}
}

// touchByMethods touches what the methods of argument i use, if it is a value of the
// package that the standard library is given as an interface: it calls nothing else.
func (e *explorer) touchByMethods(s *state, c *call, i int) bool {
	iface, ok := e.paramType(c, i).(*types.Interface)
	o := c.args[i].identity()
	if !ok || iface.NumMethods() == 0 || o == nil || o.acq != nil || !concrete(o.typ) || s.status[o].phase != live {
		return false
	}
	for m := range iface.Methods() {
		t := e.method(o.typ, m.Pkg(), m.Name())
		var used []string
		switch {
		case t.wrapper:
			used = []string{"0/" + embedded(o.typ, m)}
		case t.fn == nil:
			return false
		default:
			sum := e.summary(t.fn)
			if sum == nil {
				return false
			}
			used = sum.Used
		}
		inner := &call{args: []value{c.args[i]}, regs: []ssa.Value{t.fn.Params[0]}}
		for _, p := range used {
			if v, ok := e.input(s, inner, p); ok {
				e.touchArg(s, v, c.at)
			}
		}
	}
	return true
}

// embedded returns the path of the field of t that the method m is promoted from.
func embedded(t types.Type, m *types.Func) string {
	_, index, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return "." + t.Underlying().(*types.Struct).Field(index[0]).Name()
}

// paramType returns what argument i of c is given as, nil if that is not known.
func (e *explorer) paramType(c *call, i int) types.Type {
	sig := c.common.Signature()
	if sig.Recv() != nil && !c.common.IsInvoke() {
		i--
	}
	if i < 0 || i >= sig.Params().Len() {
		return nil
	}
	return sig.Params().At(i).Type().Underlying()
}

// unchangedBy reports whether the methods of argument k, an interface that x is given as,
// change nothing: the standard library calls no others.
func (e *explorer) unchangedBy(s *state, c *call, k int, x ref) bool {
	if x.path != "" || !e.leadToPooled(s, []value{to(x.obj)}) {
		return false
	}
	iface, ok := e.paramType(c, k).(*types.Interface)
	if !ok || iface.NumMethods() == 0 || !concrete(x.obj.typ) {
		return false
	}
	before := s.key(e)
	defer func(muted bool) { e.muted = muted }(e.muted)
	e.muted = true
	for m := range iface.Methods() {
		t := e.method(x.obj.typ, m.Pkg(), m.Name())
		if t.fn == nil || len(t.fn.Params) == 0 {
			return false
		}
		inner := &call{common: &ssa.CallCommon{Value: t.fn}, instr: c.instr, at: c.at, args: []value{to(x.obj)}, regs: []ssa.Value{t.fn.Params[0]}}
		for _, r := range e.inline(s.copy(), t, inner) {
			for _, p := range t.fn.Params {
				delete(r.state.env, p)
			}
			e.sweep(r.state, nil, value{}, nowhere)
			if r.state.key(e) != before {
				return false
			}
		}
	}
	return true
}

// clobberForeign forgets the cells behind a pointer that the standard library
// was given, if it can know their type: it writes only to its own types, and
// to what it is asked to decode into. What they lead to may be released by a
// method that it calls, such as the Close of a request's body.
func (e *explorer) clobberForeign(s *state, x ref) {
	lost := []value{to(x.obj)}
	if _, boxed := x.obj.site.(*ssa.MakeInterface); !boxed { // a struct in an interface does not change
		lost = e.clobber(s, x.obj, x.path)
	}
	for _, v := range lost {
		e.eachReached(s, v, func(y ref) {
			if y.obj.acq != nil && s.status[y.obj].phase == live {
				s.update(y.obj, func(st *status) { st.share() })
			}
		})
	}
}
