package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"
)

// What every caller gives up, because it is the caller's own and the call is the last that the
// caller does with it, belongs to the function that gets it, if that releases it on some path.

// takeGiven records what the function's callers give up to it.
func (e *explorer) takeGiven(s *state) {
	if takesBackByName(e.fn.Name()) {
		return
	}
	for k, p := range e.fn.Params {
		if e.fn.Signature.Recv() != nil && k == 0 || !e.isGivenUp(p) {
			continue
		}
		if o := e.site(p); e.comesBack(p.Type()) {
			o.taken, o.at = true, e.made(p)
			if e.fn.Synthetic != "" { // the body of a loop over what a function yields
				o.at.pos = e.fn.Pos()
			}
			s.update(o, func(st *status) { st.owned = true })
		} else {
			e.takeMessage(s, o)
		}
	}
}

// takesBackWords are words of the names of functions that take back what they are given, and may
// have a reason to keep it or not.
var takesBackWords = []string{"put", "release", "free", "return", "recycle", "dealloc", "deallocate", "unref", "deref", "decref", "dec"}

func takesBackByName(name string) bool {
	return slices.ContainsFunc(words(name), func(w string) bool { return slices.Contains(takesBackWords, w) })
}

// isGivenUp reports whether all callers of the function whose parameter p is give up what they
// pass there.
func (p *Package) isGivenUp(param *ssa.Parameter) bool {
	if known, ok := p.given[param]; ok {
		return known
	}
	p.given[param] = false // while it is looked at
	fn := param.Parent()
	k := slices.Index(fn.Params, param)
	calls := p.callersOf(fn)
	p.given[param] = len(calls) > 0 && !slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool {
		args, k := arguments(c.Common()), k
		if len(args) == len(fn.Params)-1 {
			k-- // a bound method has its receiver already
		}
		return k < 0 || k >= len(args) || !p.givesUp(args[k], c)
	})
	return p.given[param]
}

// lostByCallers reports whether o, which callers have given up, is lost by one of them where the
// function fails: it does not ask whether that has happened.
func (p *Package) lostByCallers(o *object) bool {
	param, ok := o.root().site.(*ssa.Parameter)
	return ok && slices.ContainsFunc(p.callersOf(param.Parent()), func(c ssa.CallInstruction) bool {
		return c.Common().StaticCallee() != nil && asksNot(c)
	})
}

// acquiredByCaller reports whether o is a parameter of the function that a caller has acquired: it
// finds there itself that the function leaves it.
func (p *Package) acquiredByCaller(o *object) bool {
	param, ok := o.site.(*ssa.Parameter)
	return ok && slices.ContainsFunc(p.callersOf(param.Parent()), func(c ssa.CallInstruction) bool {
		args, k := arguments(c.Common()), slices.Index(param.Parent().Params, param)
		if k >= len(args) {
			return false
		}
		switch args[k].(type) {
		case *ssa.Call, *ssa.TypeAssert:
			return true
		}
		return false
	})
}

// asksNot reports whether c drops the error that it returns.
func asksNot(c ssa.CallInstruction) bool {
	call, ok := c.(*ssa.Call)
	if !ok || len(*call.Referrers()) > 0 {
		return false
	}
	for r := range c.Common().Signature().Results().Variables() {
		if implementsError(r.Type()) {
			return true
		}
	}
	return false
}

// callersOf returns the calls that may reach fn, as far as the package shows.
func (p *Package) callersOf(fn *ssa.Function) []ssa.CallInstruction {
	if p.callers == nil {
		p.callers = make(map[*ssa.Function][]ssa.CallInstruction)
		passed := make(map[ssa.Value][]*ssa.Function) // literals, by the parameter that they are passed for
		for _, by := range p.all {
			for instr := range instructions(by) {
				c, ok := instr.(ssa.CallInstruction)
				if !ok {
					continue
				}
				_, fns := p.mayCall(c.Common())
				fns = append(fns, p.valueOf(c.Common().Value)...)
				for _, callee := range fns {
					p.callers[callee] = append(p.callers[callee], c)
					for i, a := range arguments(c.Common()) {
						if mc, ok := a.(*ssa.MakeClosure); ok && i < len(callee.Params) {
							passed[callee.Params[i]] = append(passed[callee.Params[i]], mc.Fn.(*ssa.Function))
						}
					}
				}
			}
		}
		for _, by := range p.all {
			for instr := range instructions(by) {
				if c, ok := instr.(ssa.CallInstruction); ok && !c.Common().IsInvoke() {
					for _, lit := range passed[c.Common().Value] {
						p.callers[lit] = append(p.callers[lit], c)
					}
				}
			}
		}
	}
	return p.callers[fn]
}

// valueOf returns the functions that v is, if that is a bound method, or what a function of the package
// has returned.
func (p *Package) valueOf(v ssa.Value) []*ssa.Function {
	switch v := v.(type) {
	case *ssa.MakeClosure:
		if m, ok := v.Fn.(*ssa.Function).Object().(*types.Func); ok && v.Fn.(*ssa.Function).Synthetic != "" {
			if fn := p.body(m.Origin()); fn != nil {
				return []*ssa.Function{fn}
			}
		}
	case *ssa.Call:
		_, callees := p.mayCall(&v.Call)
		var fns []*ssa.Function
		for _, callee := range callees {
			for instr := range instructions(callee) {
				if ret, ok := instr.(*ssa.Return); ok && len(ret.Results) == 1 {
					switch lit := bare(ret.Results[0]).(type) {
					case *ssa.MakeClosure:
						fns = append(fns, lit.Fn.(*ssa.Function))
					case *ssa.Function:
						fns = append(fns, lit)
					}
				}
			}
		}
		return fns
	}
	return nil
}

// givesUp reports whether v is memory of the function's own, which does nothing with it once it
// has passed it to the call c.
func (p *Package) givesUp(v ssa.Value, c ssa.CallInstruction) bool {
	roots := make(map[ssa.Value]bool)
	if !p.isOwn(v, c, roots) {
		return false
	}
	for root := range roots {
		if !onlyUntil(root, c, make(map[ssa.Value]bool)) {
			return false
		}
	}
	return true
}

// isOwn reports whether v is memory that its function has acquired, received, or been given,
// and adds to roots what that came from, and what it passed through.
func (p *Package) isOwn(v ssa.Value, c ssa.Instruction, roots map[ssa.Value]bool) bool {
	if roots[v] {
		return true
	}
	roots[v] = true
	switch v := v.(type) {
	case *ssa.Call:
		return p.handsOut(v, 0) || p.passedOn(v, 0, c, roots)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return p.handsOut(call, v.Index) || p.passedOn(call, v.Index, c, roots)
		}
		if assert, ok := v.Tuple.(*ssa.TypeAssert); ok {
			return p.isOwn(assert.X, c, roots)
		}
		return isReceived(v)
	case *ssa.UnOp:
		switch {
		case v.Op == token.ARROW:
			return true
		case v.Op != token.MUL:
			return false
		}
		switch addr := v.X.(type) {
		case *ssa.FieldAddr: // of a struct that was received, say
			return p.takenOut(v, c) != nil || !p.comesBack(addr.X.Type()) && p.isOwn(addr.X, c, roots)
		case *ssa.IndexAddr:
			return p.takenOut(v, c) != nil
		case *ssa.Alloc:
			return p.isOwn(addr, c, roots)
		case *ssa.FreeVar:
			roots[addr] = true
			return p.isOwnOfClosure(addr)
		}
		return false
	case *ssa.Field:
		return p.isOwn(v.X, c, roots)
	case *ssa.Alloc: // a box
		own := false
		for _, use := range *v.Referrers() {
			addr := ssa.Value(v)
			switch part := use.(type) {
			case *ssa.FieldAddr:
				addr = part
			case *ssa.IndexAddr:
				addr = part
			}
			for _, u := range *addr.Referrers() {
				if st, ok := u.(*ssa.Store); ok && st.Addr == addr && carries(st.Val.Type()) {
					if _, constant := st.Val.(*ssa.Const); !constant && p.mayComeBack(st.Val.Type()) {
						if !p.isOwn(st.Val, c, roots) {
							return false
						}
						own = true
					}
				}
			}
		}
		return own
	case *ssa.TypeAssert:
		return p.isOwn(v.X, c, roots)
	case *ssa.MakeInterface:
		return p.isOwn(v.X, c, roots)
	case *ssa.ChangeInterface:
		return p.isOwn(v.X, c, roots)
	case *ssa.ChangeType:
		return p.isOwn(v.X, c, roots)
	case *ssa.Slice:
		return p.isOwn(v.X, c, roots)
	case *ssa.Phi:
		return !slices.ContainsFunc(v.Edges, func(x ssa.Value) bool {
			k, constant := x.(*ssa.Const)
			return !(constant && k.IsNil()) && !p.isOwn(x, c, roots)
		})
	case *ssa.Parameter:
		return p.isGivenUp(v)
	}
	return false
}

// passedOn reports whether result k of the call is an argument that is own.
func (p *Package) passedOn(call *ssa.Call, k int, c ssa.Instruction, roots map[ssa.Value]bool) bool {
	_, fns := p.mayCall(&call.Call)
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		sum := p.summary(fn)
		return sum != nil && slices.ContainsFunc(sum.Outcomes, func(o Outcome) bool {
			return k < len(o.Results) && slices.ContainsFunc(o.Results[k].Refs, func(r DescRef) bool {
				i, err := strconv.Atoi(r.Path)
				args := arguments(&call.Call)
				return err == nil && i < len(args) && p.isOwn(args[i], c, roots)
			})
		})
	})
}

// isOwnOfClosure reports whether what a function literal has captured is memory of the function
// around it, which does nothing with it once it has made the literal.
func (p *Package) isOwnOfClosure(captured *ssa.FreeVar) bool {
	fn := captured.Parent()
	k := slices.Index(fn.FreeVars, captured)
	made := 0
	for _, use := range *fn.Referrers() {
		mc, ok := use.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		made++
		roots := make(map[ssa.Value]bool)
		if !p.isOwn(mc.Bindings[k], mc, roots) {
			return false
		}
		for root := range roots {
			if !onlyUntil(root, mc, make(map[ssa.Value]bool)) {
				return false
			}
		}
	}
	return made == 1
}

// mayComeBack is comesBack for structs, too: whether their fields may be.
func (p *Package) mayComeBack(t types.Type) bool {
	if fields, ok := t.Underlying().(*types.Struct); ok {
		for f := range fields.Fields() {
			if p.comesBack(f.Type()) {
				return true
			}
		}
		return false
	}
	return p.comesBack(t)
}

// handsOut reports whether result k of the call is memory that is the caller's now.
func (p *Package) handsOut(call *ssa.Call, k int) bool {
	obj, fns := p.mayCall(&call.Call)
	if obj != nil {
		if row := p.row(obj); row != nil && row.Family != nil {
			return true
		}
		if sum := p.imported(obj); sum != nil && sum.handsOut(k) {
			return true
		}
	}
	return slices.ContainsFunc(fns, func(fn *ssa.Function) bool {
		if p.passes[fn] {
			return true
		}
		sum := p.summary(fn)
		return sum != nil && sum.handsOut(k)
	})
}

func (sum *Summary) handsOut(k int) bool {
	return slices.ContainsFunc(sum.Outcomes, func(o Outcome) bool { return k < len(o.Results) && o.Results[k].owns() })
}

// onlyUntil reports whether nothing keeps v, and nothing uses it behind the call c.
func onlyUntil(v ssa.Value, c ssa.Instruction, seen map[ssa.Value]bool) bool {
	if seen[v] {
		return true
	}
	seen[v] = true
	refs := v.Referrers()
	if refs == nil {
		return true
	}
	from, _ := v.(ssa.Instruction)
	for _, use := range *refs {
		if use == c {
			continue
		}
		if _, debug := use.(*ssa.DebugRef); debug {
			continue
		}
		if _, late := c.(*ssa.Defer); !late && behind(use, c, from) {
			return false
		}
		switch use := use.(type) {
		case *ssa.Store:
			if use.Val != v {
				continue
			}
			if a, ok := baseOf(use.Addr).(*ssa.Alloc); !ok || !onlyUntil(a, c, seen) {
				return false
			}
		case *ssa.MapUpdate, *ssa.Send, *ssa.MakeClosure, *ssa.Go, *ssa.Defer, *ssa.Select:
			return false
		case *ssa.Slice, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType, *ssa.TypeAssert, *ssa.Extract, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Field:
			if !onlyUntil(use.(ssa.Value), c, seen) {
				return false
			}
		case *ssa.UnOp:
			if _, literal := c.(*ssa.MakeClosure); use.Op == token.MUL && carries(use.Type()) && !literal && !onlyUntil(use, c, seen) {
				return false
			}
		}
	}
	return true
}

// baseOf returns what addr is inside of.
func baseOf(addr ssa.Value) ssa.Value {
	for {
		switch a := addr.(type) {
		case *ssa.FieldAddr:
			addr = a.X
		case *ssa.IndexAddr:
			addr = a.X
		default:
			return addr
		}
	}
}

// behind reports whether instr may come after c, with the same value that from has made.
func behind(instr, c ssa.Instruction, from ssa.Instruction) bool {
	if instr.Block() == c.Block() {
		instrs := c.Block().Instrs
		if slices.Index(instrs, instr) > slices.Index(instrs, c) {
			return true
		}
	}
	seen := make(map[*ssa.BasicBlock]bool)
	todo := slices.Clone(c.Block().Succs)
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[b] || from != nil && b == from.Block() {
			continue
		}
		if b == instr.Block() {
			return true
		}
		seen[b] = true
		todo = append(todo, b.Succs...)
	}
	return false
}
