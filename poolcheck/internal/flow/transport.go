package flow

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// transport applies a call that sends argument k, an HTTP request or the body of one. A
// goroutine reads the body and closes it, perhaps after the call has returned: after an
// answer that came early, an error, or a timeout.
func (e *explorer) transport(s *state, c *call, k int) {
	body := c.args[k]
	if c.regs[k].Type().String() == "*net/http.Request" {
		body = s.takeBody(body)
	}
	if t := e.closer(body); t.fn != nil {
		closing := &call{
			common: &ssa.CallCommon{Value: t.fn}, args: []value{body}, regs: []ssa.Value{t.fn.Params[0]},
			instr: c.instr, at: c.at,
		}
		e.spawn(s, closing, c.at, true)
		return
	}
	t := e.task(s, &call{args: []value{body}}, c.at)
	e.eachReached(s, body, func(r ref) {
		if r.obj.kind == globalObject || s.status[r.obj].phase == gone {
			return
		}
		e.touch(s, to(r.obj), c.at)
		s.handOver(r.obj)
		s.employ(r.obj, t)
	})
}

// answered records that the call c reads v. If that is the body of an answer, the body of the
// request has been read, most likely.
func (e *explorer) answered(s *state, v value, c *call) {
	o := v.identity()
	if o == nil || o.parent == nil || o.path != ".Body" || calleeName(c.instr) == "Close" {
		return
	}
	call, ok := o.parent.site.(ssa.Instruction)
	asked := func(t *task) bool { return ok && t.at.instr == call && t.at.in == o.parent.in }
	for o, st := range s.status {
		if slices.ContainsFunc(st.tasks, asked) {
			s.update(o, func(st *status) { st.tasks = slices.DeleteFunc(slices.Clone(st.tasks), asked) })
		}
	}
}

// takeBody takes the body out of the request v.
func (s *state) takeBody(v value) value {
	var body value
	for _, x := range v.refs {
		for _, p := range []string{".Body", "held"} {
			c := cell{x.obj, x.path + p}
			if b, ok := s.mem[c]; ok && !b.stale {
				body = body.join(b.refs)
				s.mem[c] = value{stale: true}
				break
			}
		}
	}
	return body
}

// closer returns the Close method of v, if it is the package's own.
func (e *explorer) closer(v value) target {
	if len(v.refs) != 1 || v.refs[0].path != "" || v.refs[0].rel == holds || !concrete(v.refs[0].obj.typ) {
		return target{}
	}
	t := e.method(v.refs[0].obj.typ, nil, "Close")
	if t.fn == nil || t.wrapper {
		return target{}
	}
	return t
}
