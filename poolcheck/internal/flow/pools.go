package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A pool is all variables, fields and parameters that may hold the same sync.Pool,
// as far as the package shows; or a pool of another package, or a family of pools.
type pool struct {
	parent *pool
	gets   []*ssa.Call
	put    bool // something is put there
	open   bool // code elsewhere may put something there
}

func (p *pool) find() *pool {
	for p.parent != nil {
		p = p.parent
	}
	return p
}

func (p *pool) union(q *pool) {
	if p, q = p.find(), q.find(); p != q {
		q.parent = p
		p.gets = append(p.gets, q.gets...)
		p.put = p.put || q.put
		p.open = p.open || q.open
	}
}

// poolNode returns the pool that v stands for: a variable, a field, a value, or the
// name of a family.
func (p *Package) poolNode(v any) *pool {
	n := p.allPools[v]
	if n == nil {
		n = new(pool)
		if obj, ok := v.(types.Object); ok {
			n.open = obj.Exported()
		}
		p.allPools[v] = n
	}
	return n.find()
}

// poolOf returns the pool that v, a pointer to one or the address of such a
// pointer, leads to.
func (p *Package) poolOf(v ssa.Value) *pool {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		return p.poolNode(fieldOf(v))
	case *ssa.Global:
		if obj := v.Object(); obj != nil {
			return p.poolNode(obj)
		}
	case *ssa.UnOp:
		return p.poolOf(v.X)
	case *ssa.IndexAddr:
		return p.poolOf(v.X)
	case *ssa.Slice:
		return p.poolOf(v.X)
	case *ssa.ChangeType:
		return p.poolOf(v.X)
	case *ssa.Lookup:
		return p.poolOf(v.X)
	case *ssa.Extract:
		return p.poolOf(v.Tuple)
	case *ssa.Call:
		if fn := v.Call.StaticCallee(); fn != nil && len(fn.Blocks) > 0 {
			return p.poolNode(fn) // what it returns
		}
		p.poolNode(v).open = true
	case *ssa.Parameter:
		if fn := v.Parent(); fn.Parent() == nil && (fn.Object() == nil || fn.Object().Exported()) {
			p.poolNode(v).open = true
		}
	case *ssa.Alloc, *ssa.FreeVar, *ssa.Phi:
	default:
		p.poolNode(v).open = true
	}
	return p.poolNode(v)
}

// leadsToPool reports whether t is a sync.Pool, a pointer to one, or a list of them.
func leadsToPool(t types.Type) bool {
	for range 3 {
		switch u := t.(type) {
		case *types.Pointer:
			t = u.Elem()
		case *types.Slice:
			t = u.Elem()
		case *types.Array:
			t = u.Elem()
		case *types.Named:
			return u.Obj().Name() == "Pool" && u.Obj().Pkg() != nil && u.Obj().Pkg().Path() == "sync"
		}
	}
	return false
}

// collectPools notes what fn does with pools.
func (p *Package) collectPools(fn *ssa.Function) {
	for instr := range instructions(fn) {
		switch i := instr.(type) {
		case *ssa.Store:
			if leadsToPool(i.Val.Type()) {
				p.poolOf(i.Addr).union(p.poolOf(i.Val))
			}
		case *ssa.Phi:
			if leadsToPool(i.Type()) {
				for _, v := range i.Edges {
					p.poolOf(i).union(p.poolOf(v))
				}
			}
		case *ssa.MakeClosure:
			lit := i.Fn.(*ssa.Function)
			for k, v := range i.Bindings {
				if k < len(lit.FreeVars) && leadsToPool(v.Type()) {
					p.poolOf(lit.FreeVars[k]).union(p.poolOf(v))
					p.pooled(lit, nil, v)
				}
			}
		case ssa.CallInstruction:
			p.collectCall(i)
		case *ssa.Return:
			for _, v := range i.Results {
				if leadsToPool(v.Type()) {
					p.poolNode(fn).union(p.poolOf(v))
					p.poolOf(v).open = p.poolOf(v).open || fn.Object() == nil || fn.Object().Exported()
				}
			}
		case *ssa.MakeInterface, *ssa.Send:
			for _, op := range instr.Operands(nil) {
				if *op != nil && leadsToPool((*op).Type()) {
					p.poolOf(*op).open = true
				}
			}
		}
	}
}

// collectCall notes what a call does with pools.
func (p *Package) collectCall(i ssa.CallInstruction) {
	cc := i.Common()
	callee := cc.StaticCallee()
	if callee != nil {
		callee = origin(callee)
	}
	if verb(calleeName(i), giveBack) != "" {
		for _, a := range cc.Args {
			if named, ok := types.Unalias(elemOfPointer(bare(a).Type())).(*types.Named); ok {
				p.putTypes[named.Obj()] = true
			}
		}
	}
	for k, a := range cc.Args {
		switch {
		case !leadsToPool(a.Type()):
		case callee == nil:
			p.poolOf(a).open = true
		case k == 0 && p.pooled(callee, i, a):
		case len(callee.Blocks) == 0 || k >= len(callee.Params):
			p.poolOf(a).open = true
		default:
			p.poolOf(callee.Params[k]).union(p.poolOf(a))
		}
	}
	if callee == nil {
		if !cc.IsInvoke() {
			p.collectRow(p.rowOfValue(cc), cc)
			return
		}
		p.collectRow(p.row(cc.Method.Origin()), cc)
		return
	}
	f, ok := callee.Object().(*types.Func)
	if !ok {
		return
	}
	p.collectRow(p.row(f), cc)
	if sum := p.imported(f); sum != nil {
		for _, o := range sum.Outcomes {
			for _, d := range o.Deeds {
				switch d.Op {
				case api.Release:
					p.importedPool(cc, d.Family, d.Pool).put = true
				case api.Doubt:
					p.importedPool(cc, api.SyncPool.Name, d.Pool).put = true
				}
			}
		}
	}
}

// importedPool returns the pool of a family that a call of a function of another package
// deals with. If the pool has no name that tells, it is one for all of that package.
func (p *Package) importedPool(cc *ssa.CallCommon, family, pool string) *pool {
	if callee := cc.StaticCallee(); pool == "" && callee != nil && callee.Object() != nil && callee.Object().Pkg() != nil {
		pool = " " + callee.Object().Pkg().Path()
	}
	return p.poolNode(family + pool)
}

// collectRow notes that the function of a row of the table is called.
func (p *Package) collectRow(row *api.Func, cc *ssa.CallCommon) {
	if row == nil || row.Family == nil || row.Family == api.SyncPool {
		return
	}
	args := arguments(cc)
	for _, f := range row.Effects {
		if f.Op == api.Release && f.Arg < len(args) {
			p.familyPool(row.Family, args[f.Arg].Type()).put = true
		}
	}
}

// familyPool returns the pool of a family that memory of type t comes from.
func (p *Package) familyPool(f *api.Family, t types.Type) *pool {
	return p.poolNode(f.Name + " " + t.String())
}

// pooled notes that Get or Put of the pool v is called, or may be. It reports
// whether fn is one of them.
func (p *Package) pooled(fn *ssa.Function, call ssa.CallInstruction, v ssa.Value) bool {
	f, ok := fn.Object().(*types.Func)
	if !ok {
		return false
	}
	switch f.FullName() {
	case "(*sync.Pool).Put":
		p.poolOf(v).put = true
		return true
	case "(*sync.Pool).Get":
		if get, ok := call.(*ssa.Call); ok {
			n := p.poolOf(v)
			n.gets = append(n.gets, get)
		}
		return true
	}
	return false
}

// poolOfCall returns the pool that memory comes from which a call hands out by a
// row of the table. t is the type of the memory.
func (p *Package) poolOfCall(row *api.Func, cc *ssa.CallCommon, t types.Type) *pool {
	if row.Family == api.SyncPool && len(cc.Args) > 0 {
		return p.poolOf(cc.Args[0])
	}
	return p.familyPool(row.Family, t)
}

// NeverPut returns a report for each Get of a pool into which nothing is ever put.
func (p *Package) NeverPut() []*Report {
	var reports []*Report
	seen := make(map[*ssa.Call]bool)
	for _, n := range p.allPools {
		if n = n.find(); n.put || n.open {
			continue
		}
		for _, get := range n.gets {
			if !seen[get] {
				seen[get] = true
				reports = append(reports, &Report{
					Code: MissingRelease, Pos: get.Pos(), Name: p.names.Of(get), Family: api.SyncPool, Why: NothingPut,
				})
			}
		}
	}
	slices.SortFunc(reports, func(a, b *Report) int { return int(a.Pos - b.Pos) })
	return reports
}
