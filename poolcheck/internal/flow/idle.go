package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// An idleList is a channel, or slice, of idle memory: a field or variable.
type idleList struct {
	takers []*ssa.Function
	givers map[*ssa.Function]int // with the index of the parameter that they give back
	other  bool                  // something else takes from it
}

// collectIdle notes which channels and slices fn takes from and gives to.
func (p *Package) collectIdle(lists map[types.Object]*idleList, fn *ssa.Function) {
	at := func(addr types.Object) *idleList {
		if lists[addr] == nil {
			lists[addr] = &idleList{givers: make(map[*ssa.Function]int)}
		}
		return lists[addr]
	}
	take := func(ch ssa.Value) {
		if obj := placeOf(ch); obj != nil {
			if l := at(obj); makesOne(fn) {
				l.takers = append(l.takers, fn)
			} else {
				l.other = true
			}
		}
	}
	give := func(to ssa.Value, v ssa.Value) {
		obj := placeOf(to)
		if obj == nil {
			return
		}
		for sl, ok := v.(*ssa.Slice); ok; sl, ok = v.(*ssa.Slice) {
			v = sl.X
		}
		if k := slices.IndexFunc(fn.Params, func(x *ssa.Parameter) bool { return x == bare(v) }); k >= 0 {
			at(obj).givers[fn] = k
		}
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.UnOp:
				if i.Op == token.ARROW {
					take(i.X)
				}
			case *ssa.Send:
				give(i.Chan, i.X)
			case *ssa.Select:
				for _, st := range i.States {
					if st.Dir == types.RecvOnly {
						take(st.Chan)
					} else if !i.Blocking {
						give(st.Chan, st.Send)
					}
				}
			case *ssa.Range:
				take(i.X)
			case *ssa.Store:
				switch v := i.Val.(type) {
				case *ssa.Slice:
					if obj := placeOf(v.X); obj != nil && obj == addressed(i.Addr) && v.High != nil {
						take(v.X)
					}
				case *ssa.Call:
					if isBuiltinCall(v, "append") && placeOf(v.Call.Args[0]) == addressed(i.Addr) {
						if sl, ok := v.Call.Args[1].(*ssa.Slice); ok {
							stored(sl.X, func(x ssa.Value) { give(v.Call.Args[0], x) })
						}
					}
				}
			}
		}
	}
}

// makesOne reports whether fn returns, on some path, memory that it has just made, or none of
// the content of what it takes: so it hands out memory to be filled.
func makesOne(fn *ssa.Function) bool {
	if fn.Parent() != nil || fn.Signature.Results().Len() != 1 || fn.Signature.Params().Len() > 2 {
		return false
	}
	var made func(v ssa.Value, depth int) bool
	made = func(v ssa.Value, depth int) bool {
		switch v := v.(type) {
		case *ssa.MakeSlice:
			return true
		case *ssa.Alloc:
			return v.Heap
		case *ssa.Call:
			callee := v.Call.StaticCallee()
			return v.Call.Signature().Params().Len() <= 2 && (callee == nil || callee.Signature.Recv() == nil)
		case *ssa.MakeInterface:
			return made(v.X, depth)
		case *ssa.Slice:
			return isCutToNothing(v) || made(v.X, depth)
		case *ssa.UnOp:
			found := false
			stored(v.X, func(x ssa.Value) { found = found || depth < 4 && made(x, depth+1) })
			return found
		case *ssa.Phi:
			return depth < 4 && slices.ContainsFunc(v.Edges, func(x ssa.Value) bool { return made(x, depth+1) })
		}
		return false
	}
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok && len(ret.Results) == 1 && made(ret.Results[0], 0) {
			return true
		}
	}
	return false
}

// findIdle finds the pools among the lists of idle memory in fns.
func (p *Package) findIdle(fns []*ssa.Function) {
	lists := make(map[types.Object]*idleList)
	for _, fn := range fns {
		p.collectIdle(lists, fn)
	}
	look := func(fn *ssa.Function, row *api.Func) {
		if f, ok := fn.Object().(*types.Func); ok {
			p.looks[f] = row
		}
	}
	for _, l := range lists {
		if !l.pools() {
			// What gives itself back says so.
			for fn, k := range l.givers {
				if k == 0 && fn.Signature.Recv() != nil && fn.Name() != "Put" && verb(fn.Name(), giveBack) != "" && HoldsBytes(fn.Params[k].Type()) {
					look(fn, &api.Func{Family: api.Likely, Effects: []api.Effect{{Op: api.Release}}})
				}
			}
			continue
		}
		for _, fn := range l.takers {
			look(fn, &api.Func{Family: api.Likely, Effects: []api.Effect{{Op: api.Acquire}}})
		}
		for fn, k := range l.givers {
			look(fn, &api.Func{Family: api.Likely, Effects: []api.Effect{{Op: api.Release, Arg: k}}})
		}
	}
}

// pools reports whether l is given memory, and hands out what it is given: something of
// the same type.
func (l *idleList) pools() bool {
	if l.other || len(l.takers) == 0 || len(l.givers) == 0 {
		return false
	}
	for fn, k := range l.givers {
		for _, taker := range l.takers {
			result := taker.Signature.Results().At(0).Type()
			if !HoldsBytes(result) || !sameType(fn.Params[k].Type(), result) {
				return false
			}
		}
	}
	return true
}
