package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// Select returns those of fns that are worth exploring: functions that hand
// out or take back pooled memory, or call one that does so for its callers,
// with the literals inside of them. Callees go first: whether a function
// matters depends on what they were found to do.
func (p *Package) Select(fns []*ssa.Function) []*ssa.Function {
	p.pools = make(map[*ssa.Function]bool)
	p.functions = make(map[types.Object]*functionSet)
	p.implemented = make(map[*types.Named][]types.Type)
	p.assigned = make(map[*types.Var]bool)
	p.looks = make(map[*types.Func]*api.Func)
	p.putTypes = make(map[types.Object]bool)
	p.literals = make(map[*types.TypeName][]*ssa.Function)
	p.waits = make(map[*ssa.Function]bool)
	p.passes = make(map[*ssa.Function]bool)
	p.findIdle(fns)
	p.all = fns
	local := make(map[*ssa.Function]bool)
	for _, fn := range fns {
		local[fn] = true
		if p.types == nil {
			p.types = fn.Pkg.Pkg
			p.collectFunctions(fn.Pkg.Func("init"))
			p.collectPools(fn.Pkg.Func("init"))
		}
		p.collectFunctions(fn)
		p.collectAssigned(fn)
		p.collectPools(fn)
	}
	p.visit = func(fn *ssa.Function) {
		if _, seen := p.pools[fn]; seen || !local[fn] {
			return
		}
		p.pools[fn] = false
		p.passes[fn] = p.takesForCallers(fn)
		pools := p.passes[fn] || p.pops(fn) || p.moves(fn)
		for _, lit := range fn.AnonFuncs {
			p.visit(lit)
			pools = pools || p.pools[lit]
		}
		for instr := range instructions(fn) {
			call, ok := instr.(ssa.CallInstruction)
			if !ok {
				continue
			}
			pools = p.callsPool(call.Common()) || pools
			if callee := call.Common().StaticCallee(); callee != nil {
				callee = origin(callee)
				pools = p.poolsForCallers(callee) || p.pools[callee] && p.givesFunction(call) || pools
				if p.passes[callee] && p.returnsTaken(fn, callee.Signature.Results()) {
					p.passes[fn], pools = true, true
				}
			}
		}
		p.pools[fn] = pools
	}
	for _, fn := range fns {
		p.visit(fn)
	}
	var out []*ssa.Function
	for _, fn := range fns {
		if p.pools[fn] || fn.Parent() != nil && p.pools[fn.Parent()] {
			p.pools[fn] = true
			out = append(out, fn)
		}
	}
	return out
}

// moves reports whether fn puts something into a field, list, map or channel that it has not
// acquired itself, most likely, and that comes back to a pool in the end.
func (p *Package) moves(fn *ssa.Function) bool {
	pooled := func(v ssa.Value) bool {
		switch v := v.(type) {
		case *ssa.Const, *ssa.Alloc, *ssa.Call, *ssa.MakeInterface:
			return false
		default:
			return p.comesBack(v.Type()) && !isBytes(v.Type()) && !isBuffer(v.Type())
		}
	}
	return does(fn, func(instr ssa.Instruction) bool {
		switch i := instr.(type) {
		case *ssa.Send:
			return pooled(i.X)
		case *ssa.Select:
			return slices.ContainsFunc(i.States, func(st *ssa.SelectState) bool { return st.Dir == types.SendOnly && pooled(st.Send) })
		case *ssa.MapUpdate:
			return pooled(i.Value)
		case *ssa.Store:
			_, variable := i.Addr.(*ssa.Alloc)
			return !variable && pooled(i.Val)
		}
		return false
	})
}

// givesFunction reports whether an argument of the call is a function literal, or a function that
// takes memory back: what the callee lends it may leave the callee.
func (p *Package) givesFunction(call ssa.CallInstruction) bool {
	return slices.ContainsFunc(call.Common().Args, func(a ssa.Value) bool {
		if conv, ok := a.(*ssa.ChangeType); ok {
			a = conv.X
		}
		switch a := a.(type) {
		case *ssa.MakeClosure:
			return true
		case *ssa.Function:
			return p.poolsForCallers(a)
		}
		return false
	})
}

// poolsForCallers reports whether fn hands out memory to its callers, or takes it
// back from them.
func (p *Package) poolsForCallers(fn *ssa.Function) bool {
	p.visit(fn)
	if !p.pools[fn] {
		return false
	}
	sum := p.summary(fn)
	return sum == nil || sum.pools()
}

// callsPool reports whether a call hands out or takes back pooled memory.
func (p *Package) callsPool(cc *ssa.CallCommon) bool {
	obj, fns := p.mayCall(cc)
	if cc.StaticCallee() == nil && slices.ContainsFunc(fns, p.poolsForCallers) {
		return true
	}
	if obj == nil {
		return p.rowOfValue(cc) != nil
	}
	if row := p.annotated(obj, cc); row != nil {
		return true
	}
	if row := p.row(obj); row != nil {
		return row.Family != nil
	}
	if sum := p.imported(obj); sum != nil {
		return sum.pools()
	}
	return p.handsOutByContract(cc) >= 0
}

// pools reports whether the function hands out memory or takes it back.
func (sum *Summary) pools() bool {
	for _, o := range sum.Outcomes {
		for _, d := range o.Deeds {
			if d.Op == api.Release || d.Op == api.Consume {
				return true
			}
		}
		for _, r := range o.Results {
			if r.owns() {
				return true
			}
		}
	}
	return false
}

func (d Desc) owns() bool {
	if d.Own != "" || d.List {
		return true
	}
	for _, sub := range d.Cells {
		if sub.Value.owns() {
			return true
		}
	}
	for _, sub := range d.Parts {
		if sub.Value.owns() {
			return true
		}
	}
	return false
}

// MaxHelper is the largest number of blocks that a function may have to be
// summarised although it hands out and takes back nothing. What larger ones do
// to their arguments is taken for unknown.
const MaxHelper = 60

// worthSummary reports whether a call of fn is worth its summary: because it
// pools, or because an argument or result is bytes or leads to pooled memory.
func (e *explorer) worthSummary(s *state, fn *ssa.Function, c *call) bool {
	if e.pools[fn] {
		return true
	}
	if len(fn.Blocks) > MaxHelper {
		return false
	}
	for r := range fn.Signature.Results().Variables() {
		if TakesBytes(r.Type()) {
			return true
		}
	}
	for i, a := range c.args {
		if i < len(c.regs) && TakesBytes(c.regs[i].Type()) {
			return true
		}
		worth := false
		e.eachReached(s, a, func(r ref) {
			worth = worth || r.obj.acq != nil || s.status[r.obj].phase != live
		})
		if worth {
			return true
		}
	}
	return false
}

// TakesBytes reports whether a parameter of type t may well be a buffer.
func TakesBytes(t types.Type) bool {
	if isBytes(t) {
		return true
	}
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	if isBytes(p.Elem()) {
		return true
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	switch named.Obj().Pkg().Path() {
	case "bytes", api.BufferPath, "github.com/fufuok/bytespool/buffer", "github.com/valyala/bytebufferpool":
		return true
	}
	return false
}
