package flow

import (
	"go/token"
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
					row, e.poolName(row, c), c.at, c.deferred, staticType(c.regs[f.Arg]), e.names.of(r),
				})
			}
		case api.Acquire:
			if reg != nil {
				results[f.Res] = to(e.acquire(sh, s, row, c, reg, f.Res))
			}
		case api.Whole, api.Part, api.View, api.Wrap:
			r := map[api.Op]rel{api.Whole: whole, api.Part: part, api.View: view, api.Wrap: view}[f.Op]
			shown := arg(f.Arg)
			if f.Op == api.Whole && reg != nil && isError(e.resultType(reg, f.Res)) {
				results[f.Res] = shown
				continue
			}
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
		case api.Unless:
			if reg != nil {
				left := s.copy()
				out = append(out, returned{left, e.fill(left, reg, map[int]value{f.Res: {known: knownTrue}})})
				results[f.Res] = value{known: knownFalse}
			}
			e.surrender(s, arg(f.Arg), nil)
		case api.Sound:
			if r, seen := results[f.Res]; e.sound(s, c, f.Arg) && (!seen || r.known == knownNil) {
				results[f.Res] = value{known: knownNil}
			} else {
				results[f.Res] = value{}
			}
		case api.Nil:
			results[f.Res] = value{known: knownNil}
		case api.NonNil:
			if reg != nil && !(isInteger(c.regs[f.Arg].Type()) && compare(token.NEQ, s.knownOf(arg(f.Arg)), known{isConst, "0"}) != knownTrue) {
				s.known[e.result(reg, f.Res)] = knownNonNil
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
