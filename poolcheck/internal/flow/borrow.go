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
		e.touchArg(s, a, c.at)
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
				if x.rel < view && x.obj.kind != globalObject && !e.constantCell(x.obj) && x.obj.acq == nil {
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
				s.update(y.obj, (*status).share)
			}
		})
	}
}
