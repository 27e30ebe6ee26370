package flow

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A call is a call with its operands as they were when it was reached, or
// deferred.
type call struct {
	common   *ssa.CallCommon
	regs     []ssa.Value // the arguments, the receiver first
	args     []value
	fun      value
	instr    ssa.CallInstruction
	at       place
	deferred bool
}

func (e *explorer) resolve(s *state, instr ssa.CallInstruction) *call {
	cc := instr.Common()
	c := &call{common: cc, instr: instr, at: e.at(instr)}
	if !cc.IsInvoke() {
		c.fun = e.value(s, cc.Value)
	}
	c.regs = arguments(cc)
	for _, r := range c.regs {
		c.args = append(c.args, e.value(s, r))
	}
	e.bind(s, c)
	return c
}

// arguments returns the arguments of a call, the receiver first.
func arguments(cc *ssa.CallCommon) []ssa.Value {
	if cc.IsInvoke() {
		return append([]ssa.Value{cc.Value}, cc.Args...)
	}
	return cc.Args
}

// bind puts the receiver of a bound method, which is captured, in front of the
// arguments.
func (e *explorer) bind(s *state, c *call) {
	if o := c.fun.identity(); o != nil {
		if mc, ok := o.site.(*ssa.MakeClosure); ok && strings.HasPrefix(mc.Fn.(*ssa.Function).Synthetic, "bound method") {
			c.args = append([]value{s.mem[cell{o, "#0"}]}, c.args...)
			c.regs = append([]ssa.Value{mc.Bindings[0]}, c.regs...)
		}
	}
}

// A target is what a call may reach.
type target struct {
	obj     *types.Func   // the declared function or method, if there is one
	fn      *ssa.Function // the function, if its body is here
	literal *object       // the closure, for a function literal that captures
	wrapper bool          // fn calls a promoted method
}

// target returns what the call of a function value or declared function reaches.
func (e *explorer) target(s *state, c *call) target {
	fn := c.common.StaticCallee()
	var closure *object
	if o := c.fun.identity(); o != nil {
		switch site := o.site.(type) {
		case *ssa.MakeClosure:
			closure = o
			fn = site.Fn.(*ssa.Function)
		case *ssa.Function:
			fn = site
		}
	}
	if fn == nil {
		return target{}
	}
	fn = origin(fn)
	t := target{fn: fn}
	if f, ok := fn.Object().(*types.Func); ok {
		t.obj = f.Origin()
	}
	if fn.Parent() != nil {
		t.literal = closure
		t.obj = nil
	} else if fn.Synthetic != "" && !strings.HasPrefix(fn.Synthetic, "package init") {
		t.fn = nil // a wrapper: its object says more
		if t.obj != nil {
			t.fn = e.body(t.obj)
		}
	}
	return t
}

// Name returns the name under which the table knows f.
func Name(f *types.Func) string {
	name := f.FullName()
	if i := strings.IndexByte(name, '['); i >= 0 {
		if j := strings.LastIndexByte(name, ']'); j > i {
			name = name[:i] + name[j+1:]
		}
	}
	return name
}

// call runs a call instruction and sets its register.
func (e *explorer) call(sh *shape, s *state, i *ssa.Call) []*state {
	e.fresh(sh, s, i, "")
	if tuple, ok := i.Type().(*types.Tuple); ok {
		for k := range tuple.Len() {
			e.renew(sh, s, e.result(i, k))
		}
	}
	c := e.resolve(s, i)
	e.givesSome(s, c)
	e.give(s, c)
	results := e.handedOut(e.invoke(sh, s, c, i), i)
	states := make([]*state, len(results))
	for k, r := range results {
		if r.result.empty() {
			delete(r.state.env, i)
		} else {
			r.state.env[i] = r.result
			e.introduce(i, r.result)
			e.ended(r.state, i, r.result)
		}
		states[k] = r.state
	}
	return states
}

// introduce names what a call has returned, for reports that stand here, and notes its
// type if the callee, which is generic, does not know it.
func (e *explorer) introduce(i *ssa.Call, v value) {
	_, several := i.Type().(*types.Tuple)
	each := func(v value, n int, whole bool) {
		if o := v.memory(); o != nil && o.in != e.in {
			o.call(e.in, e.names.result(i.Pos(), n))
			if whole {
				o.specify(e.resultType(i, n))
			}
		}
	}
	each(v, 0, !several)
	for _, k := range sortedKeys(v.sub) {
		n, _ := strconv.Atoi(k) // 0 for the fields of a struct
		each(v.sub[k], n, several)
	}
}

// ended notes what is known of the results of the call i, which is v, for those who ask the
// call itself, such as a lending: the values do not lead to it.
func (e *explorer) ended(s *state, i *ssa.Call, v value) {
	if v.known.kind != anything && v.identity() == nil {
		s.known[e.result(i, 0)] = v.known
	}
	for k, part := range v.sub {
		if n, err := strconv.Atoi(k); err == nil && part.known.kind != anything && part.identity() == nil {
			s.known[e.result(i, n)] = part.known
		}
	}
}

// specify notes that pooled memory, of which the pool does not tell the type, is a t.
func (o *object) specify(t types.Type) {
	if o.acq != nil && concrete(t) && !concrete(o.typ) {
		o.typ = t
	}
}

// A returned is one way in which a call may have ended.
type returned struct {
	state  *state
	result value
}

// invoke applies a call to s. reg is the register of its result, nil for a
// deferred call.
func (e *explorer) invoke(sh *shape, s *state, c *call, reg ssa.Value) []returned {
	if b, ok := c.common.Value.(*ssa.Builtin); ok && !c.common.IsInvoke() {
		return []returned{{s, e.builtin(sh, s, b.Name(), c, reg)}}
	}
	targets := e.targets(s, c)
	if len(targets) == 0 {
		return e.invokeTarget(sh, s, target{}, c, reg)
	}
	targets = e.sameAgain(s, c, targets)
	if len(targets) == 1 {
		return e.invokeTarget(sh, s, targets[0], c, reg)
	}
	var out []returned
	ended := e.endedWithin(s, c.args)
	acquiring := 0
	for i, t := range targets {
		each := s
		if i < len(targets)-1 {
			each = s.copy()
		}
		d := *c
		before := maps.Clone(each.status)
		acquires := false
		for _, r := range e.invokeTarget(sh, each, t, &d, reg) {
			acquires = e.acquireSomehow(r.state, before, c) || acquires
			// Another of the functions may have put something in its place.
			for _, o := range ended {
				if _, ok := r.state.status[o]; ok {
					r.state.update(o, func(st *status) { st.phase = gone })
				}
			}
			out = append(out, r)
		}
		if acquires {
			acquiring++
		}
	}
	if slices.Contains(targets, target{}) {
		e.perhapsTaken(out, c)
	}
	if acquiring < len(targets) {
		// What tells whether there is something to release may be known by other means.
		for _, r := range out {
			for o, st := range r.state.status {
				if e.cameBy(o, c) && st.owned && !st.judged {
					r.state.update(o, func(st *status) { st.judged, st.setting = true, true })
				}
			}
		}
	}
	return out
}

// acquireSomehow reports whether s has memory that before had not, and that one of the
// functions that c may reach has acquired. The call that releases it may reach several
// functions, too, and runs the one that matches. Where it is not known which has acquired
// it, a path may combine two that do not match, and proves no leak.
func (e *explorer) acquireSomehow(s *state, before map[*object]status, c *call) bool {
	acquires := false
	for o, st := range s.status {
		again := before[o].escaped && (st.parked || !st.escaped)
		if o.acq != nil && st.owned && (!before[o].owned || again) {
			acquires = true
			if !e.cameBy(o, c) {
				s.update(o, (*status).share)
			}
		}
	}
	return acquires
}

// invokeTarget applies a call of t.
func (e *explorer) invokeTarget(sh *shape, s *state, t target, c *call, reg ssa.Value) []returned {
	if t.obj != nil {
		if row := e.annotated(t.obj, c.common); row != nil {
			return e.applyRow(sh, s, row, t, c, reg)
		}
		if row := e.row(t.obj); row != nil {
			return e.applyRow(sh, s, row, t, c, reg)
		}
		if t.obj.Pkg() != nil && e.packages[t.obj.Pkg().Path()] {
			return e.applyRow(sh, s, &api.Func{Family: api.Buffers}, t, c, reg)
		}
		if t.obj.Pkg() == nil || api.Standard(t.obj.Pkg().Path()) && t.obj.Pkg() != e.fn.Pkg.Pkg {
			return e.applyRow(sh, s, &api.Func{}, t, c, reg)
		}
	}
	if t.obj == nil {
		if row := e.rowOfValue(c.common); row != nil {
			return e.applyRow(sh, s, row, t, c, reg)
		}
	}
	if e.counts(s, t.fn, c) {
		return []returned{{s, e.fill(s, reg, nil)}}
	}
	if t.fn != nil && (t.fn.Parent() != nil || t.wrapper || e.enters(s, t.fn, c)) {
		return e.inline(s, t, c)
	}
	e.awaits(s, t, c)
	if t.fn != nil && len(t.fn.Blocks) > 0 && e.worthSummary(s, t.fn, c) {
		if sum := e.summary(t.fn); sum != nil {
			return e.applySummary(sh, s, sum, c, reg)
		}
	} else if t.obj != nil && t.obj.Pkg() != e.fn.Pkg.Pkg {
		if sum := e.imported(t.obj); sum != nil {
			return e.applySummary(sh, s, sum, c, reg)
		}
	}
	if e.endsByContract(s, c) {
		return []returned{{s, e.fill(s, reg, nil)}}
	}
	for _, a := range c.args {
		e.touchArg(s, a, c.at)
	}
	e.unknownCall(s, c)
	return []returned{{s, e.fill(s, reg, nil)}}
}

// unknownCall hands the arguments, and what is not the function's own, to code
// that nobody has seen.
func (e *explorer) unknownCall(s *state, c *call) {
	e.opaque = true
	// A callback, or a method of an interface, has no business with what the
	// function has put into fields of its caller: most likely that stays there.
	e.dynamic = c.common.IsInvoke() || c.common.StaticCallee() == nil
	defer func() { e.dynamic = false }()
	for i, a := range c.args {
		switch {
		case !carries(c.regs[i].Type()):
		case borrowsByName(c, i), i == 0 && e.keepsReceiver(s, c):
			e.lendTo(s, a)
		case e.lendLiteral(s, a, c):
		default:
			e.surrender(s, a, e.lendingOf(c, i))
		}
	}
	e.surrender(s, c.fun, e.lendingOf(c, -1))
	for _, a := range c.args {
		e.drained(s, a)
	}
	for o := range s.known {
		if o.kind == globalObject {
			delete(s.known, o)
		}
	}
	for p := range s.mem {
		if s.mem[p].stale {
			continue
		}
		if p.obj.kind == globalObject || s.status[p.obj].shared() && !e.constantCell(p.obj) && !ownBytes(p.obj) {
			if !e.stable(p.obj, p.path) && !hasRun(p, s.mem[p]) {
				s.mem[p] = value{stale: true}
			}
		}
	}
}

// ownBytes reports whether o is pooled memory whose inner slice is its own
// business.
func ownBytes(o *object) bool { return o.acq != nil }

// runDefers runs what the present function has deferred, last first.
func (e *explorer) runDefers(s *state) []*state {
	states := []*state{s}
	for {
		var next []*state
		ran := false
		for _, s := range states {
			n := len(s.defers)
			if n == 0 || s.defers[n-1].depth != e.depth() {
				next = append(next, s)
				continue
			}
			ran = true
			p := s.defers[n-1]
			s.defers[n-1] = &pending{p.instr, p.call, running}
			c := *p.call
			c.deferred = true
			for _, r := range e.invoke(nil, s, &c, nil) {
				r.state.defers = r.state.defers[:n-1]
				next = append(next, r.state)
			}
		}
		states = e.blend(next)
		if !ran || e.tooMany || len(states) > maxStates {
			e.tooMany = e.tooMany || len(states) > maxStates
			return states
		}
	}
}

// result returns the object of result k of the call reg.
func (e *explorer) result(reg ssa.Value, k int) *object {
	tuple, ok := reg.Type().(*types.Tuple)
	if !ok {
		return e.site(reg)
	}
	return e.intern(objectKey{site: reg, in: e.in, part: fmt.Sprint(k)}, func(o *object) {
		o.typ, o.at = tuple.At(k).Type(), e.made(reg)
		o.call(e.in, e.names.result(reg.Pos(), k))
	})
}

// fill returns the value of the call reg whose known results are given.
func (e *explorer) fill(s *state, reg ssa.Value, results map[int]value) value {
	if reg == nil {
		return value{}
	}
	tuple, ok := reg.Type().(*types.Tuple)
	if !ok {
		if v, ok := results[0]; ok {
			return v
		}
		return to(e.site(reg))
	}
	out := value{sub: make(map[string]value)}
	for k := range tuple.Len() {
		if v, ok := results[k]; ok {
			out.sub[fmt.Sprint(k)] = v
		} else {
			out.sub[fmt.Sprint(k)] = to(e.result(reg, k))
		}
	}
	return out
}

// touchArg touches an argument.
func (e *explorer) touchArg(s *state, v value, at place) {
	if v.known.kind != isNil {
		e.touch(s, v, at)
	}
}
