package flow

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// applyRow applies what the table says of a function. Arguments that the row
// does not name are borrowed: read or written during the call, no longer.
func (e *explorer) applyRow(sh *shape, s *state, row *api.Func, t target, c *call, reg ssa.Value) []returned {
	arg := func(i int) value {
		if i < len(c.args) && i >= 0 {
			return c.args[i]
		}
		return value{}
	}
	if len(row.Effects) == 1 {
		switch op := row.Effects[0].Op; op {
		case api.AtomicLoad, api.AtomicStore, api.AtomicSwap, api.AtomicAdd, api.AtomicCompareSwap:
			return e.atomic(sh, s, op, c, reg)
		case api.Once:
			return e.once(s, c)
		}
	}
	e.borrow(s, row, c)
	var out []returned
	results := make(map[int]value)
	for _, f := range row.Effects {
		switch f.Op {
		case api.NoReturn:
			return nil
		case api.Release:
			if f.Arg < len(c.args) {
				r := bare(c.regs[f.Arg])
				e.releasesEach(s, r, e.listOf(s, r), c.at)
				e.release(s, arg(f.Arg), giving{
					row, e.poolName(row, c), c.at, c.deferred, staticType(c.regs[f.Arg]), e.names.of(r), shortened(r),
				})
			}
		case api.Acquire:
			if reg != nil {
				results[f.Res] = to(e.acquire(sh, s, row, c, reg, f.Res))
			}
		case api.Whole, api.Part, api.View, api.Wrap:
			r := map[api.Op]rel{api.Whole: whole, api.Part: part, api.View: view, api.Wrap: view}[f.Op]
			shown := arg(f.Arg)
			if f.Op == api.Wrap {
				shown = s.errorsAmong(shown, c)
			}
			refs := shown.weaken(r, nowhere)
			for i := range refs {
				refs[i].cut = refs[i].cut || r != view
			}
			if len(refs) == 0 || reg != nil && isError(e.resultType(reg, f.Res)) && !e.leadToPooled(s, []value{shown}) {
				continue // most errors hold nothing of interest
			}
			if f.Op == api.View && reg != nil && isError(e.resultType(reg, f.Res)) {
				well := s.copy()
				out = append(out, returned{well, e.fill(well, reg, map[int]value{f.Res: {known: knownNil}})})
			}
			if r == view && reg != nil && !isText(e.resultType(reg, f.Res)) {
				// A reader or writer is an object of its own.
				own := e.result(reg, f.Res)
				own.kind = localObject
				held := value{refs: refs}
				if _, again := results[f.Res]; again {
					held = s.mem[cell{own, "held"}].join(refs)
				}
				s.mem[cell{own, "held"}] = held
				results[f.Res] = to(own)
				continue
			}
			results[f.Res] = results[f.Res].join(refs)
		case api.Hold:
			for _, x := range arg(0).refs {
				s.mem[cell{x.obj, "held"}] = value{refs: arg(f.Arg).weaken(view, nowhere)}
			}
		case api.StoreIn:
			s.storeIn(arg(0), arg(f.Arg).weaken(view, nowhere), c.at, maxDepth)
		case api.Empty:
			for _, x := range arg(f.Arg).refs {
				delete(s.mem, cell{x.obj, "held"})
				s.update(x.obj, func(st *status) { st.fill = clean })
			}
		case api.Keep:
			e.escape(s, arg(f.Arg), escape{at: c.at})
		case api.Consume:
			if v, ok := e.consume(sh, s, row, c, reg, f.Arg); ok {
				results[f.Res] = v
			}
		case api.Disown:
			for _, x := range arg(f.Arg).refs {
				s.update(x.obj, func(st *status) { st.owned = false })
			}
		case api.Adopt:
			for _, x := range arg(f.Arg).refs {
				e.frees[e.young(x.obj)]++
				if s.status[x.obj].phase == live {
					e.end(s, x.obj, handed, c.at, false)
				}
			}
		case api.Share:
			for _, x := range arg(f.Arg).refs {
				s.update(x.obj, func(st *status) { st.owners = min(st.owners+1, 8) })
				if loopsOver(c.at, x.obj) {
					e.counted[e.young(x.obj)] = true
				}
			}
		case api.ShareAny:
			for _, x := range arg(f.Arg).refs {
				s.update(x.obj, func(st *status) { st.many = true })
			}
		case api.Grow, api.Lengthen:
			e.grow(s, arg(f.Arg), f.Op == api.Lengthen)
		case api.Fill:
			e.filled(s, c, f.Arg, reg)
		case api.Read:
			e.readWhole(s, arg(f.Arg), c.at)
		case api.Spawn:
			e.spawnValue(s, arg(f.Arg), c)
		case api.Transport:
			e.transport(s, c, f.Arg)
		case api.Join:
			e.joinAll(s)
		case api.Run, api.Opaque:
			e.surrender(s, arg(f.Arg), nil)
		case api.Lend:
			e.result(reg, f.Res).lent = true
		case api.Fail:
			if reg == nil {
				continue
			}
			failed := s.copy()
			delete(failed.status, e.result(reg, 0))
			out = append(out, returned{failed, e.fill(failed, reg, map[int]value{0: {known: knownNil}, f.Res: {known: knownNonNil}})})
			results[f.Res] = value{known: knownNil}
		case api.Nil:
			results[f.Res] = value{known: knownNil}
		case api.NonNil:
			if reg != nil {
				o := e.result(reg, f.Res)
				s.known[o] = knownNonNil
			}
		}
	}
	return append(out, returned{s, e.fill(s, reg, results)})
}

// errorsAmong returns the errors in v, a list of variadic arguments. A format in front of
// it has to ask for them.
func (s *state) errorsAmong(v value, c *call) value {
	var errs value
	if format, ok := c.regs[0].(*ssa.Const); ok && !strings.Contains(constantOf(format).val, "%w") {
		return errs
	}
	for _, list := range v.refs {
		for _, p := range s.cells(list.obj) {
			x := s.mem[cell{list.obj, p}]
			if o := x.identity(); o != nil && o.typ != nil && implementsError(o.typ) {
				errs = errs.join(x.refs)
			}
		}
	}
	return errs
}

// storeIn records that refs were stored at the place at in the map v, or in what the
// handle v shows, through up to depth other handles.
func (s *state) storeIn(v value, refs []ref, at place, depth int) {
	for _, x := range v.refs {
		c := cell{x.obj, "held"}
		held, handle := s.mem[c]
		_, isMap := x.obj.site.(*ssa.MakeMap)
		switch {
		case isMap:
			c.path = "[]"
			s.mem[c] = dropStale(s.mem[c]).join(value{refs: refs}.weaken(holds, at))
		case handle && !held.stale && depth > 0:
			s.storeIn(held, refs, at, depth-1)
		case x.obj.kind == localObject:
			s.mem[c] = dropStale(held).join(refs)
		}
	}
}

// bare returns what an interface was made of.
func bare(r ssa.Value) ssa.Value {
	if mi, ok := r.(*ssa.MakeInterface); ok {
		return mi.X
	}
	return r
}

func staticType(r ssa.Value) types.Type {
	if mi, ok := r.(*ssa.MakeInterface); ok {
		return mi.X.Type()
	}
	return r.Type()
}

func (e *explorer) resultType(reg ssa.Value, k int) types.Type {
	if tuple, ok := reg.Type().(*types.Tuple); ok {
		return tuple.At(k).Type()
	}
	return reg.Type()
}

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

// acquire returns the memory that a call hands out.
func (e *explorer) acquire(sh *shape, s *state, row *api.Func, c *call, reg ssa.Value, k int) *object {
	o := e.result(reg, k)
	if o.acq == nil {
		o.kind = pooledObject
		o.acq = &acquisition{family: row.Family, pool: e.poolOfCall(row, c.common, o.typ), dirty: row.Dirty, call: c.common}
		o.acq.dirty = o.acq.dirty && !elementsStored(reg)
		if row.Dirty && row.Size >= 0 && row.Size < len(c.regs) {
			if k, constant := c.regs[row.Size].(*ssa.Const); constant {
				o.acq.size = k.Int64()
			}
		} else if row.Dirty {
			o.acq.size = -1
		}
		if row.Family == api.SyncPool {
			o.typ = assertedType(reg)
		}
	}
	if o.typ != nil {
		if _, channel := o.typ.Underlying().(*types.Chan); channel {
			s.status[o] = status{phase: gone} // made to be used by several
			return o
		}
	}
	st := status{phase: live, owned: true, origin: e.poolName(row, c)}
	if o.acq.dirty {
		st.fill = dirty
	}
	s.status[o] = st
	e.acquires = true
	return o
}

// elementsStored reports whether elements of the slice reg are stored one by
// one: whether a loop stores all of them is not known.
func elementsStored(reg ssa.Value) bool {
	for _, instr := range *reg.Referrers() {
		if ia, ok := instr.(*ssa.IndexAddr); ok {
			for _, use := range *ia.Referrers() {
				if _, ok := use.(*ssa.Store); ok {
					return true
				}
			}
		}
	}
	return false
}

// assertedType returns the type that the result of sync.Pool.Get is asserted
// to, nil if there is none.
func assertedType(reg ssa.Value) types.Type {
	for _, instr := range *reg.Referrers() {
		switch i := instr.(type) {
		case *ssa.TypeAssert:
			return i.AssertedType
		case *ssa.Phi:
			for _, use := range *i.Referrers() {
				if ta, ok := use.(*ssa.TypeAssert); ok {
					return ta.AssertedType
				}
			}
		}
	}
	return nil
}

// poolName names the pool of a call, "" if it is not known which.
func (e *explorer) poolName(row *api.Func, c *call) string {
	if row.Default {
		return "default"
	}
	if len(c.args) == 0 || c.common.Signature().Recv() == nil {
		return ""
	}
	v := c.args[0]
	if len(v.refs) != 1 || v.refs[0].rel != whole || strings.ContainsAny(v.refs[0].path, "[") {
		return ""
	}
	o := v.refs[0].obj
	if o.kind == inputObject && v.refs[0].path != "" {
		return fmt.Sprintf("%s%d%s", ofInput, o.id, v.refs[0].path)
	}
	g, ok := o.root().site.(*ssa.Global)
	if !ok || o.depth() > 1 || o.depth() == 1 && o.path != "" {
		return ""
	}
	if g.Name() == "DefaultCapacityPools" {
		return "default"
	}
	return g.String() + v.refs[0].path
}

// ofInput begins the names of pools that are fields of an input. They mean something only
// while one function is explored.
const ofInput = "input "

// global returns the name of a pool that means the same everywhere, "" for others.
func global(pool string) string {
	if strings.HasPrefix(pool, ofInput) {
		return ""
	}
	return pool
}

// otherPool reports whether a and b are names of different pools for sure: fields of two
// inputs may be the same, if these are.
func otherPool(a, b string) bool {
	in, x := strings.CutPrefix(a, ofInput)
	with, y := strings.CutPrefix(b, ofInput)
	if x || y {
		owner, _, _ := strings.Cut(in, ".")
		same, _, _ := strings.Cut(with, ".")
		return x && y && owner == same && a != b
	}
	return a != "" && b != "" && a != b
}

// consume ends the memory of argument k, whose content lives on in the result.
func (e *explorer) consume(sh *shape, s *state, row *api.Func, c *call, reg ssa.Value, k int) (value, bool) {
	v := c.args[k]
	owned := false
	for _, x := range v.refs {
		if x.rel == holds {
			continue
		}
		st := s.status[x.obj]
		e.frees[e.young(x.obj)]++
		owned = owned || st.owned
		if st.phase != live {
			continue
		}
		if len(st.tasks) > 0 {
			e.report(s, GrownAndLost, x.obj, c.at, st.tasks[0].at)
			continue
		}
		e.end(s, x.obj, moved, c.at, c.deferred)
	}
	if reg == nil {
		return value{}, false
	}
	fill := clean
	if len(v.refs) == 1 && v.refs[0].rel == whole && !v.refs[0].cut && s.status[v.refs[0].obj].fill == dirty {
		fill = dirty // what was not written is in front of what is appended
	}
	owned = owned || s.knownOf(v).kind == isNil
	o := e.acquire(sh, s, row, c, reg, 0)
	if len(v.refs) > 0 {
		if o.from == nil {
			o.from = make(map[*object]bool)
		}
		before := e.young(v.refs[0].obj)
		o.from[before] = true
		o.call(e.in, before.name(e.in))
	}
	s.update(o, func(st *status) { st.fill, st.owned = fill, owned })
	return to(o), true
}

// grow makes what was shown of a Buffer stale.
func (e *explorer) grow(s *state, v value, lengthen bool) {
	for _, x := range v.refs {
		if lengthen {
			s.update(x.obj, func(st *status) { st.fill = partial })
		}
		if st := s.status[x.obj]; st.owners > 0 || st.many {
			continue // what others have references to stays
		}
		age := func(v value) value {
			hit := false
			for _, y := range v.refs {
				hit = hit || s.shows(y, x.obj)
			}
			if !hit {
				return v
			}
			out := v
			out.refs = nil
			for _, y := range v.refs {
				y.old = y.old || s.shows(y, x.obj)
				out.refs = append(out.refs, y)
			}
			return out
		}
		for r, w := range s.env {
			s.env[r] = age(w)
		}
		for c, w := range s.mem {
			if c.obj != x.obj {
				s.mem[c] = age(w)
			} else if c.path == ".B" {
				delete(s.mem, c)
			}
		}
	}
}

// shows reports whether y is a view of the Buffer o, not the Buffer itself.
func (s *state) shows(y ref, o *object) bool {
	return y.obj == o && y.rel >= view || y.obj.kind == contentObject && y.obj.parent == o && s.there(y.obj)
}

// there reports whether the content o is still in the cell that it was found in.
func (s *state) there(o *object) bool {
	v, ok := s.mem[cell{o.parent, o.path}]
	return !ok || v.stale || v.leadsTo(o)
}
