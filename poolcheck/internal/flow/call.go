package flow

import (
	"fmt"
	"go/constant"
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
	if cc.IsInvoke() {
		c.regs = append(c.regs, cc.Value)
	} else {
		c.fun = e.value(s, cc.Value)
	}
	c.regs = append(c.regs, cc.Args...)
	for _, r := range c.regs {
		c.args = append(c.args, e.value(s, r))
	}
	e.bind(s, c)
	return c
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
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
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
	e.give(s, c)
	results := e.invoke(sh, s, c, i)
	states := make([]*state, len(results))
	for k, r := range results {
		if r.result.empty() {
			delete(r.state.env, i)
		} else {
			r.state.env[i] = r.result
			e.nameResult(i, r.result)
		}
		states[k] = r.state
	}
	return states
}

// nameResult names what a call has returned, for reports that stand here.
func (e *explorer) nameResult(i *ssa.Call, v value) {
	if o := v.identity(); o != nil && o.in != e.in {
		o.call(e.in, e.names.result(i, 0))
	}
	for _, k := range sortedKeys(v.sub) {
		if o := v.sub[k].identity(); o != nil && o.in != e.in {
			n, _ := strconv.Atoi(k)
			o.call(e.in, e.names.result(i, n))
		}
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
	if c.common.IsInvoke() && (len(targets) == 0 || targets[0].fn == nil) {
		e.entrust(s, c.args[0])
	}
	if len(targets) == 0 {
		return e.invokeTarget(sh, s, target{}, c, reg)
	}
	var out []returned
	for i, t := range targets {
		each := s
		if i < len(targets)-1 {
			each = s.copy()
		}
		d := *c
		out = append(out, e.invokeTarget(sh, each, t, &d, reg)...)
	}
	return out
}

// entrust records that a method of the interface value v runs: it may release
// the memory in the fields of what v holds.
func (e *explorer) entrust(s *state, v value) {
	fields := slices.Collect(maps.Values(v.sub))
	for _, x := range v.refs {
		if x.rel != whole || x.obj.kind != localObject {
			continue
		}
		for _, p := range s.cells(x.obj) {
			if p != "held" { // a reader or writer of the standard library
				fields = append(fields, s.mem[cell{x.obj, p}])
			}
		}
	}
	for _, f := range fields {
		for _, x := range f.refs {
			if x.obj.acq != nil && x.rel == whole {
				s.update(x.obj, func(st *status) { st.escaped = true })
			}
		}
	}
}

// invokeTarget applies a call of t.
func (e *explorer) invokeTarget(sh *shape, s *state, t target, c *call, reg ssa.Value) []returned {
	if t.obj != nil {
		if row := e.annotated(t.obj, c.common); row != nil {
			return e.applyRow(sh, s, row, t, c, reg)
		}
		if row := e.table[Name(t.obj)]; row != nil {
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
		if row := e.annotatedType(c.common); row != nil {
			return e.applyRow(sh, s, row, t, c, reg)
		}
	}
	if t.fn != nil && (t.fn.Parent() != nil || t.wrapper || e.enters(s, t.fn, c)) {
		return e.inline(s, t, c)
	}
	if t.fn != nil && len(t.fn.Blocks) > 0 && e.worthSummary(s, t.fn, c) {
		if sum := e.summary(t.fn); sum != nil {
			return e.applySummary(sh, s, sum, c, reg)
		}
	} else if t.obj != nil && t.obj.Pkg() != e.fn.Pkg.Pkg {
		if sum := e.imported(t.obj); sum != nil {
			return e.applySummary(sh, s, sum, c, reg)
		}
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
	// A callback or an interface's method has no business with what the
	// function has put into its caller's fields: what is there most likely
	// stays.
	e.dynamic = c.common.IsInvoke() || c.common.StaticCallee() == nil
	defer func() { e.dynamic = false }()
	for i, a := range c.args {
		if carries(c.regs[i].Type()) {
			e.surrender(s, a, e.lendingOf(c, i))
		}
	}
	e.surrender(s, c.fun, e.lendingOf(c, -1))
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
			if !e.stable(p.obj, p.path) {
				s.mem[p] = value{stale: true}
			}
		}
	}
}

// ownBytes reports whether o is pooled memory whose inner slice is its own
// business.
func ownBytes(o *object) bool { return o.acq != nil }

// enters reports whether fn is run in the state of its caller: if it has to do
// with pooled memory, or is given some.
func (e *explorer) enters(s *state, fn *ssa.Function, c *call) bool {
	if e.shallow || fn.Pkg != e.fn.Pkg || len(fn.Blocks) == 0 || e.depth() >= maxDepth || e.running(fn) {
		return false
	}
	return e.pools[fn] || len(fn.Blocks) <= MaxHelper && e.leadToPooled(s, c.args)
}

// leadToPooled reports whether pooled memory, or what was released, can be reached
// from vs.
func (e *explorer) leadToPooled(s *state, vs []value) bool {
	cells := make(map[*object][]value)
	for c, v := range s.mem {
		cells[c.obj] = append(cells[c.obj], v)
	}
	seen := make(map[*object]bool)
	var walk func(v value) bool
	walk = func(v value) bool {
		for _, x := range v.all() {
			if x.obj.root().acq != nil || s.status[x.obj].phase != live {
				return true
			}
			if !seen[x.obj] {
				seen[x.obj] = true
				if slices.ContainsFunc(cells[x.obj], walk) {
					return true
				}
			}
		}
		return false
	}
	return slices.ContainsFunc(vs, walk)
}

// inline runs a function in the state of its caller.
func (e *explorer) inline(s *state, t target, c *call) []returned {
	fn := t.fn
	if e.depth() >= maxDepth || e.running(fn) || len(fn.FreeVars) > 0 && t.literal == nil {
		e.unknownCall(s, c)
		return []returned{{s, value{}}}
	}
	before := maps.Clone(s.status)
	for k, fv := range fn.FreeVars {
		s.env[fv] = s.mem[cell{t.literal, fmt.Sprintf("#%d", k)}]
		if s.env[fv].stale {
			s.env[fv] = value{}
		}
	}
	for k, p := range fn.Params {
		if k < len(c.args) {
			s.env[p] = c.args[k]
		}
	}
	outer := e.in
	e.in = e.inner(c.instr, fn, c.deferred)
	exits := e.run(fn, s)
	e.in = outer
	var out []returned
	for _, x := range exits {
		var v value
		switch len(x.results) {
		case 0:
		case 1:
			v = x.results[0]
		default:
			v.sub = make(map[string]value)
			for k, r := range x.results {
				v.sub[fmt.Sprint(k)] = r
			}
		}
		callee := e.inner(c.instr, fn, c.deferred)
		e.usedLate(x.state, callee)
		if fn.Parent() == nil {
			e.outlived(x.state, v, callee)
		}
		out = append(out, returned{x.state, v})
	}
	e.weigh(before, out, c, e.inner(c.instr, fn, c.deferred))
	judgedFor(fn, out)
	return e.mergeReturns(out)
}

// weigh takes for gone what some returns leave released, or gone, and others, which
// the caller cannot tell from them, do not: whether the release happens is the
// callee's own business, not a path that its caller forgot. What some give away is
// given away by those others, too.
func (e *explorer) weigh(before map[*object]status, out []returned, c *call, callee *context) {
	for i, r := range out {
		for o, st := range r.state.status {
			ended := st.phase != live
			if before[o].phase != live || o.in.within(callee) || !ended && (!st.escaped || before[o].escaped) {
				continue
			}
			for j, other := range out {
				left := other.state.status[o]
				if i == j || left.phase != live || left.judged || other.state.known[o].kind == isNil ||
					!other.state.there(o) || !r.looksLike(other, c) {
					continue
				}
				other.state.update(o, func(st *status) {
					st.escaped = true
					if ended {
						st.phase = gone
					}
				})
				if st.phase == released {
					r.state.update(o, func(st *status) { st.phase = gone })
				}
			}
		}
	}
}

// judgedFor removes the marks of fn on memory whose size has decided something else
// than whether it is released.
func judgedFor(fn *ssa.Function, out []returned) {
	released := make(map[*object]bool)
	for _, r := range out {
		for o, st := range r.state.status {
			released[o] = released[o] || st.phase != live
		}
	}
	for _, r := range out {
		for o, st := range r.state.status {
			if st.judged && !released[o] && st.judge != nil && st.judge.Parent() == fn {
				r.state.update(o, func(st *status) { st.judged, st.judge = false, nil })
			}
		}
	}
}

// looksLike reports whether the caller cannot tell r from p by its results, nor
// by an argument that is no pointer.
func (r returned) looksLike(p returned, c *call) bool {
	if reg, ok := c.instr.(*ssa.Call); ok && len(*reg.Referrers()) == 0 {
		return true // it does not even look at the results
	}
	for _, a := range c.args {
		if k := p.state.knownOf(a); k.kind == isConst && k != r.state.knownOf(a) {
			return false
		}
	}
	alike := func(a, b value) bool {
		x, y := r.state.knownOf(a), p.state.knownOf(b)
		return x == y || x.kind == anything || y.kind == anything
	}
	if !alike(r.result, p.result) {
		return false
	}
	for k, v := range r.result.sub {
		if !alike(v, p.result.sub[k]) {
			return false
		}
	}
	return true
}

// mergeReturns makes one of returns that differ only in what is known of objects.
func (e *explorer) mergeReturns(out []returned) []returned {
	if len(out) < 2 {
		return out
	}
	first := make(map[key]*state)
	return slices.DeleteFunc(out, func(r returned) bool {
		k := r.state.key(e)
		k.add(r.result.appendTo(nil))
		if f := first[k]; f != nil {
			f.join(r.state.facts())
			return true
		}
		first[k] = r.state
		return false
	})
}

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
			s.defers = s.defers[:n-1]
			c := *p.call
			c.deferred = true
			for _, r := range e.invoke(nil, s, &c, nil) {
				next = append(next, r.state)
			}
		}
		states = next
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
		o.call(e.in, e.names.result(reg, k))
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

// touchArg touches an argument, and what a list of variadic arguments holds.
func (e *explorer) touchArg(s *state, v value, at place) {
	if v.known.kind == isNil {
		return
	}
	e.touch(s, v, at)
	if o := v.identity(); o != nil {
		if a, ok := o.site.(*ssa.Alloc); ok && a.Comment == "varargs" {
			for _, p := range s.cells(o) {
				e.touch(s, s.mem[cell{o, p}], at)
			}
		}
	}
}

// builtin applies a call of a builtin function.
func (e *explorer) builtin(sh *shape, s *state, name string, c *call, reg ssa.Value) value {
	arg := func(i int) value {
		if i < len(c.args) {
			return c.args[i]
		}
		return value{}
	}
	switch name {
	case "append":
		return e.appended(sh, s, c, reg)
	case "copy":
		e.touch(s, arg(0), c.at)
		e.touch(s, arg(1), c.at)
		e.copied(s, c)
	case "clear":
		e.touch(s, arg(0), c.at)
		e.written(s, arg(0))
		e.deleted(s, c)
	case "delete":
		e.deleted(s, c)
	case "String", "StringData", "SliceData", "Slice", "Add":
		r := view
		if name == "SliceData" || name == "Add" || name == "Slice" {
			r = whole
		}
		return value{refs: arg(0).weaken(r, nowhere)}
	case "len":
		if n := lengthOf(arg(0)); n >= 0 {
			return value{known: known{isConst, strconv.FormatInt(n, 10)}}
		}
	case "recover":
		return value{known: knownNil}
	case "ssa:wrapnilchk":
		return arg(0)
	case "close":
		e.send(s, arg(0), value{}, c.at)
	}
	return value{}
}

// lengthOf returns the length of a list of arguments or a slice literal, -1 if v is
// something else.
func lengthOf(v value) int64 {
	if v.known.kind == isNil {
		return 0
	}
	if len(v.refs) == 1 && !v.refs[0].cut && v.refs[0].path == "" && v.refs[0].rel == whole {
		if a, ok := v.refs[0].obj.site.(*ssa.Alloc); ok && (a.Comment == "varargs" || a.Comment == "slicelit") {
			return a.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
		}
	}
	return -1
}

// deleted takes what maps of the type of the first argument show out of them:
// which entry goes is not known.
func (e *explorer) deleted(s *state, c *call) {
	t := c.regs[0].Type()
	if _, ok := t.Underlying().(*types.Map); !ok {
		return
	}
	for o, st := range s.status {
		if len(st.escapes) > 0 {
			s.update(o, func(st *status) {
				st.escapes = slices.DeleteFunc(slices.Clone(st.escapes), func(x escape) bool {
					return x.into != nil && x.into.typ != nil && types.Identical(x.into.typ, t)
				})
			})
		}
	}
	if o := c.args[0].identity(); o != nil && o.kind == localObject {
		delete(s.mem, cell{o, "[]"})
	}
}

// appended applies the builtin append. Its result shows its first argument's
// memory, unless that had no room.
func (e *explorer) appended(sh *shape, s *state, c *call, reg ssa.Value) value {
	dst, src := c.args[0], value{}
	if len(c.args) > 1 {
		src = c.args[1]
	}
	if reg == nil {
		return value{}
	}
	e.touch(s, dst, c.at)
	if isBytes(reg.Type()) {
		e.touch(s, src, c.at)
		if dst.known.kind == isNil || len(dst.refs) == 0 {
			return to(e.site(reg))
		}
		out := value{refs: dst.weaken(whole, nowhere)}
		for i := range out.refs {
			out.refs[i].cut = true
		}
		return out
	}
	// A slice of slices, strings or structs: its elements are held.
	elems := src
	if o := src.identity(); o != nil {
		if a, ok := o.site.(*ssa.Alloc); ok && a.Comment == "varargs" {
			elems = value{}
			for _, p := range s.cells(o) {
				elems = elems.join(s.mem[cell{o, p}].weaken(holds, c.at))
			}
		} else if o.kind == localObject {
			for _, p := range s.cells(o) {
				elems = elems.join(s.mem[cell{o, p}].weaken(holds, c.at))
			}
		}
	}
	own := e.site(reg)
	out := to(own)
	for _, x := range dst.all() {
		x.rel = max(x.rel, view)
		if x.obj != own && x.obj != e.older(own) {
			out = out.join([]ref{x})
		}
	}
	if !carries(elemOf(reg.Type())) {
		return out
	}
	held := elems.weaken(holds, c.at)
	for _, x := range held {
		if x.obj != e.site(reg) && x.obj.acq != nil {
			s.update(x.obj, func(st *status) { st.escaped = true })
		}
		e.captured(s, x.obj)
	}
	return out.join(held)
}

// captured marks what a closure that is kept in a slice may release.
func (e *explorer) captured(s *state, o *object) {
	if o.kind != localObject {
		return
	}
	e.eachReached(s, to(o), func(r ref) {
		if r.obj.kind != globalObject {
			s.update(r.obj, func(st *status) { st.escaped = true })
		}
	})
}

func elemOf(t types.Type) types.Type {
	if sl, ok := t.Underlying().(*types.Slice); ok {
		return sl.Elem()
	}
	return t
}

// copied notes what the builtin copy writes.
func (e *explorer) copied(s *state, c *call) {
	for _, x := range c.args[0].refs {
		st := s.status[x.obj]
		if st.fill == clean {
			continue
		}
		if !x.cut && x.rel == whole && x.obj.acq != nil && shorter(c.regs[1], x.obj.acq.size) {
			s.update(x.obj, func(st *status) { st.fill = partial })
			continue
		}
		e.written(s, c.args[0])
	}
}

// shorter reports whether src, the source of a copy, most likely has less than
// size bytes: it is known to, or it is text. Bytes may well be a key or digest
// of that length.
func shorter(src ssa.Value, size int64) bool {
	if size == 0 {
		return false
	}
	if k, ok := src.(*ssa.Const); ok && k.Value != nil && k.Value.Kind() == constant.String {
		return int64(len(constant.StringVal(k.Value))) < size
	}
	if sl, ok := src.(*ssa.Slice); ok {
		if p, ok := sl.X.Type().Underlying().(*types.Pointer); ok && sl.Low == nil && sl.High == nil {
			a, ok := p.Elem().Underlying().(*types.Array)
			return ok && a.Len() < size
		}
	}
	return !isBytes(src.Type()) && !measured(src)
}

// measured reports whether the length of v is compared with anything.
func measured(v ssa.Value) bool {
	for _, instr := range *v.Referrers() {
		call, ok := instr.(*ssa.Call)
		if !ok {
			continue
		}
		if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != "len" {
			continue
		}
		for _, use := range *call.Referrers() {
			if _, ok := use.(*ssa.BinOp); ok {
				return true
			}
		}
	}
	return false
}
