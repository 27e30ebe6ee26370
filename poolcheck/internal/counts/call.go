package counts

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

func (r *runner) arguments(s *state, c *ssa.CallCommon) []value {
	var args []value
	if c.IsInvoke() {
		args = append(args, r.value(s, c.Value))
	}
	for _, a := range c.Args {
		args = append(args, r.value(s, a))
	}
	return args
}

// call runs a call, now or because it was deferred.
func (r *runner) call(s *state, instr ssa.CallInstruction, fun value, args []value) []*state {
	c := instr.Common()
	result, _ := instr.(*ssa.Call)
	if b, ok := c.Value.(*ssa.Builtin); ok {
		r.builtin(s, b, instr, result, args)
		return []*state{s}
	}
	if result != nil {
		delete(s.registers, result)
		delete(s.results, result)
	}
	if result != nil && r.countsItself(s, result) {
		return []*state{s}
	}
	if fun.literal != nil && r.mayRun(fun.literal) {
		return r.runLiteral(s, fun.literal, args, result)
	}
	k := r.contractOf(c)
	for i, a := range args {
		r.apply(s, instr, c, k, i, a)
	}
	if result != nil {
		r.take(s, result, k, args)
	}
	states := []*state{s}
	for _, a := range args {
		if a.literal == nil {
			continue
		}
		// What a literal does is done, whenever that is.
		var next []*state
		for _, s := range states {
			if r.mayRun(a.literal) {
				var fails *ssa.Call // a call that returns an error returns that of the literal
				if result != nil && isError(result.Type()) && mayFail(a.literal) {
					fails = result
				}
				next = append(next, r.runLiteral(s, a.literal, nil, fails)...)
			} else {
				s.doubt(a)
				next = append(next, s)
			}
		}
		states = next
	}
	return states
}

// apply does to the argument a, the i-th, what the contract k says.
func (r *runner) apply(s *state, instr ssa.CallInstruction, c *ssa.CallCommon, k *Contract, i int, a value) {
	switch {
	case a.literal != nil:
		return
	case a.thing == nil:
		if k == nil {
			s.doubt(a)
		}
		return
	case k == nil:
		s.doubt(a)
		return
	}
	t, e := a.thing, k.param(i)
	switch {
	case e.Unsure:
		s.suspect(t)
		if t.list || i == 0 && c.Signature().Recv() != nil {
			s.keep(t)
		}
		return
	case e.N < 0 && !e.Released:
		s.give(a, instr)
		return
	case e.N < 0 && a.element && !r.ofEach(s, t, instr):
		r.loose[t] = true
	case e.N < 0 && !a.element:
		r.releasedAgain(s, t, instr)
	}
	s.add(a, e.N, instr)
	if e.N < 0 && e.Released {
		s.update(t, func(h *holding) { h.released = instr })
	}
}

// take puts what a call gives its caller into the registers.
func (r *runner) take(s *state, call *ssa.Call, k *Contract, args []value) {
	results := call.Call.Signature().Results()
	var vs []value
	for i := range results.Len() {
		v := value{}
		switch t := results.At(i).Type(); {
		case k == nil || !r.follows(t):
		case k.result(i) == Owned:
			v.thing = r.renew(s, call, i, r.isList(t), 1)
		case k.result(i) >= Argument && int(k.result(i)-Argument) < len(args):
			v = args[k.result(i)-Argument]
		}
		vs = append(vs, v)
	}
	r.returned(s, call, vs)
}

// returned puts the results of a call into the registers.
func (r *runner) returned(s *state, call *ssa.Call, vs []value) {
	if len(vs) == 1 {
		if vs[0].first == nil {
			vs[0].first = call
		}
		s.registers[call] = vs[0]
		return
	}
	s.results[call] = vs
}

// mayFail reports whether literal returns an error, and not always nil.
func mayFail(literal *ssa.MakeClosure) bool {
	fn := literal.Fn.(*ssa.Function)
	if results := fn.Signature.Results(); results.Len() != 1 || !isError(results.At(0).Type()) {
		return false
	}
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		return ok && !isNilConst(ret.Results[0])
	})
}

func (r *runner) mayRun(literal *ssa.MakeClosure) bool {
	fn := literal.Fn.(*ssa.Function)
	return len(fn.Blocks) > 0 && len(r.active) < maxLiterals && !slices.Contains(r.active, fn)
}

// runLiteral runs a function literal in s. args may be nil: nothing is known of them then.
func (r *runner) runLiteral(s *state, literal *ssa.MakeClosure, args []value, result *ssa.Call) []*state {
	fn := literal.Fn.(*ssa.Function)
	for i, v := range fn.FreeVars {
		s.registers[v] = r.value(s, literal.Bindings[i])
	}
	for i, p := range fn.Params {
		delete(s.registers, p)
		if i < len(args) {
			s.registers[p] = args[i]
		}
	}
	outer := s.deferred
	s.deferred = nil
	r.active = append(r.active, fn)
	exits := r.run(fn, s)
	r.active = r.active[:len(r.active)-1]
	var states []*state
	for _, x := range exits {
		x.state.deferred = slices.Clone(outer)
		for i, v := range x.results {
			if x.owned[i] {
				x.state.add(v, 1, x.ret) // it is the function's, as before
			}
		}
		if result != nil {
			r.returned(x.state, result, x.results)
		}
		for reg := range x.state.registers {
			if reg.Parent() == fn {
				delete(x.state.registers, reg)
			}
		}
		states = append(states, x.state)
	}
	return states
}

// spawn runs a literal that becomes a goroutine. What another function is given is not followed.
func (r *runner) spawn(s *state, g *ssa.Go) []*state {
	fun := r.value(s, g.Call.Value)
	args := r.arguments(s, &g.Call)
	if fun.literal != nil && r.mayRun(fun.literal) {
		return r.runLiteral(s, fun.literal, args, nil)
	}
	for _, a := range args {
		s.doubt(a)
	}
	return []*state{s}
}

// runDefers runs the deferred calls, the last one first.
func (r *runner) runDefers(s *state) []*state {
	states, deferred := []*state{s}, s.deferred
	s.deferred = nil
	for _, d := range slices.Backward(deferred) {
		var next []*state
		for _, s := range states {
			next = append(next, r.call(s, d.instr, d.fun, d.args)...)
		}
		states = next
	}
	return states
}

// isVarargs reports whether t is the list of the arguments of one call, which nothing else has.
func isVarargs(t *thing) bool {
	a, ok := t.site.(*ssa.Alloc)
	return ok && a.Comment == "varargs"
}

func (r *runner) builtin(s *state, b *ssa.Builtin, instr ssa.CallInstruction, result *ssa.Call, args []value) {
	switch b.Name() {
	case "append":
		if result == nil {
			return
		}
		delete(s.registers, result)
		if !r.isList(result.Type()) {
			for _, a := range args[1:] {
				s.doubt(a)
			}
			return
		}
		list := args[0].thing
		if list == nil {
			list = r.renew(s, result, 0, true, 0)
		}
		if more := args[1].thing; more != nil && more.list && more != list {
			h := s.holdings[more]
			switch {
			case h.unsure:
				s.update(list, func(l *holding) { l.unsure = true })
			case h.n > 0 && isVarargs(more):
				s.update(list, func(l *holding) { l.n, l.from, l.by = max(l.n, 1), h.from, h.by })
				s.add(value{thing: more}, -1, instr)
			case h.n > 0, isParameter(more): // it may still be released by its own name
				s.update(more, func(h *holding) { h.listed = list })
			}
			for t, x := range s.holdings {
				if x.listed == more {
					x.listed = list
					s.holdings[t] = x
				}
			}
		}
		s.registers[result] = value{thing: list, known: nonNil}
	case "copy":
		for _, a := range args {
			if a.thing != nil && s.holdings[a.thing].n > 0 {
				s.doubt(a)
			}
		}
	}
}
