package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A flow follows memory through the package without regard to paths. Fields and channels are
// containers: what may come into one may come out wherever the package reads it.

// maxFlow bounds how many values the flow of one piece of memory is followed through.
const maxFlow = 4000

// A flow is where memory may come to.
type flow struct {
	p          *Package
	memory     types.Type
	seen       map[ssa.Value]bool
	todo       []ssa.Value
	containers []types.Object
	inside     map[types.Object]bool // the same, as a set
	late       []ssa.Value           // what runs later has it
	out        bool                  // the memory came out of a container
	released   bool                  // it is released after that
	free       bool                  // it may be released, or is not known to be anywhere
}

// newFlow returns a flow of memory of type t that has not begun.
func newFlow(p *Package, t types.Type) *flow {
	return &flow{p: p, memory: t, seen: make(map[ssa.Value]bool), inside: make(map[types.Object]bool)}
}

// flowOf returns where o may come to from the function that has acquired it, other than back
// to its pool, nil if that is not known.
func (p *Package) flowOf(o *object) *flow {
	from, ok := o.at.chain()[0].instr.(ssa.Value)
	if !ok {
		return nil
	}
	memory := o.typ
	if p.owns(from.Type()) {
		memory = from.Type() // what it is in
	}
	f := newFlow(p, memory)
	f.follow(from)
	f.run()
	return f
}

// releasedFrom reports whether something that comes out of the container c is released, and, if
// only is set, nothing else is done with it.
func (p *Package) releasedFrom(c types.Object, t types.Type, only bool) bool {
	f := newFlow(p, t)
	f.out = true
	f.takeOut(c)
	f.run()
	return f.released && !(only && f.free)
}

// comesOut reports whether some function may release what it takes out of the containers.
func (f *flow) comesOut() bool {
	f.out, f.seen = true, make(map[ssa.Value]bool)
	for _, v := range f.late {
		f.follow(v)
	}
	f.run()
	for i := 0; i < len(f.containers) && !f.free && !f.released; i++ {
		f.takeOut(f.containers[i])
		f.run()
	}
	return f.free || f.released
}

// follow adds v to what the memory may be, or be in.
func (f *flow) follow(v ssa.Value) {
	if v != nil && !f.seen[v] && mayLeadTo(v.Type(), f.memory, nil) {
		f.seen[v] = true
		f.todo = append(f.todo, v)
	}
}

// into adds a container. What a variable of the package has is kept for good.
func (f *flow) into(c types.Object) {
	v, ok := c.(*types.Var)
	if !ok || v.Exported() || v.Pkg() != f.p.types || f.p.pooledField(v) || !v.IsField() && !isChannel(v.Type()) {
		f.free = true
	} else if !f.inside[c] {
		f.inside[c] = true
		f.containers = append(f.containers, c)
	}
}

func (f *flow) run() {
	for len(f.todo) > 0 {
		v := f.todo[len(f.todo)-1]
		f.todo = f.todo[:len(f.todo)-1]
		refs := v.Referrers()
		if refs == nil || len(f.seen) > maxFlow {
			f.free = true
			return
		}
		for _, use := range *refs {
			f.use(v, use)
		}
	}
}

// takeOut follows what the package takes out of the container c.
func (f *flow) takeOut(c types.Object) {
	reads := f.p.usesOf().of[c]
	f.free = f.free || !slices.ContainsFunc(reads, isRead)
	for _, v := range reads {
		switch v := v.(type) {
		case *ssa.Global:
			for _, use := range f.p.usesOf().globals[v] {
				f.use(v, use)
			}
		default:
			f.follow(v)
		}
	}
}

// isRead reports whether v, a field or the address of a field or variable, is more than stored to.
func isRead(v ssa.Value) bool {
	if v.Referrers() == nil {
		return true // a variable
	}
	return slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		st, ok := use.(*ssa.Store)
		return !ok || st.Addr != v
	})
}

// use follows v, which may be the memory, or what it is in, through one instruction.
func (f *flow) use(v ssa.Value, use ssa.Instruction) {
	switch use := use.(type) {
	case *ssa.DebugRef, *ssa.BinOp, *ssa.If, *ssa.Panic, *ssa.RunDefers, *ssa.FieldAddr, *ssa.Field:
		// A field is a container of its own.
	case *ssa.Convert:
		_, unsafe := use.Type().Underlying().(*types.Pointer)
		f.free = f.free || unsafe // by way of an unsafe.Pointer
		f.follow(use)
	case *ssa.UnOp, *ssa.Phi, *ssa.Extract, *ssa.Slice, *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.ChangeType,
		*ssa.TypeAssert, *ssa.IndexAddr, *ssa.Index, *ssa.Lookup, *ssa.Range, *ssa.Next, *ssa.MultiConvert, *ssa.SliceToArrayPointer, *ssa.Select:
		if sel, ok := use.(*ssa.Select); ok {
			f.selects(v, sel)
		}
		f.follow(use.(ssa.Value))
	case *ssa.Store:
		if use.Val == v {
			f.store(use.Addr)
		}
	case *ssa.MapUpdate:
		if use.Value == v || use.Key == v {
			f.store(use.Map)
		}
	case *ssa.Send:
		if use.X == v {
			f.send(use.Chan)
		}
	case *ssa.Return:
		f.returns(use)
	case *ssa.MakeClosure:
		lit := use.Fn.(*ssa.Function)
		for k, b := range use.Bindings {
			switch {
			case b != v:
			case f.out:
				f.follow(lit.FreeVars[k])
			default:
				f.late = append(f.late, lit.FreeVars[k])
			}
		}
	case ssa.CallInstruction:
		f.call(v, use)
	default:
		f.free = true
	}
}

// store follows the memory into what addr, an address or a map, belongs to.
func (f *flow) store(addr ssa.Value) {
	for {
		if c := addressed(addr); c != nil {
			f.into(c)
			return
		}
		if c := placeOf(addr); c != nil {
			f.into(c)
			return
		}
		switch a := addr.(type) {
		case *ssa.IndexAddr:
			addr = a.X
			continue
		case *ssa.Slice:
			addr = a.X
			continue
		case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice:
			f.follow(a)
			return
		}
		f.free = true // behind a pointer, or in a captured variable
		return
	}
}

func (f *flow) send(ch ssa.Value) {
	if c := placeOf(ch); c != nil {
		f.into(c)
	} else {
		f.free = true
	}
}

// selects follows v through the cases of sel that send it.
func (f *flow) selects(v ssa.Value, sel *ssa.Select) {
	for _, st := range sel.States {
		if st.Send == v {
			f.send(st.Chan)
		}
	}
}

// returns follows the memory to the callers of the function that returns it. What the
// exploration has followed to there came from them.
func (f *flow) returns(ret *ssa.Return) {
	fn := ret.Parent()
	obj := fn.Object()
	if fn.Parent() != nil || obj == nil {
		f.free = true
		return
	}
	f.free = f.free || f.out && obj.Exported()
	calls := f.p.usesOf().calls[fn]
	if f.out && len(calls) == 0 {
		f.free = true
	}
	for _, c := range calls {
		if v, ok := c.(ssa.Value); ok {
			f.follow(v)
		}
	}
}

func (f *flow) call(v ssa.Value, i ssa.CallInstruction) {
	cc := i.Common()
	if b, ok := cc.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" && (cc.Args[0] == v || !isBytes(cc.Args[0].Type())) { // bytes are copied
			f.result(i)
		}
		return
	}
	if cc.Value == v && !cc.IsInvoke() {
		return // a literal that has it
	}
	for k, a := range arguments(cc) {
		if a == v {
			f.argument(i, k)
		}
	}
}

// argument follows the memory into argument k of the call, the receiver first.
func (f *flow) argument(i ssa.CallInstruction, k int) {
	cc := i.Common()
	obj, callees := f.p.mayCall(cc)
	if cc.IsInvoke() && k == 0 {
		t := f.p.method(f.memory, cc.Method.Pkg(), cc.Method.Name())
		if t.obj == nil && t.fn == nil {
			return // of something else
		}
		obj, callees = t.obj, nil
		if t.fn != nil {
			callees = append(callees, t.fn)
		}
	}
	if obj != nil {
		if row := f.p.rowOf(obj, cc); row != nil {
			f.row(row, i, k)
			return
		}
	}
	if k == 0 && slices.ContainsFunc(callees, func(fn *ssa.Function) bool { return f.p.emptiesOwner(fn, f.memory) }) {
		f.released = f.released || f.out
		return
	}
	for _, fn := range callees {
		if k < len(fn.Params) {
			f.follow(fn.Params[k])
		} else {
			f.free = true
		}
	}
	if len(callees) > 0 {
		return
	}
	switch {
	case obj != nil && (api.Standard(pathOf(obj)) || f.p.packages[pathOf(obj)]):
		f.result(i)
	case borrowsByName(&call{common: cc, regs: arguments(cc), instr: i}, k):
	default:
		f.free = true
	}
}

// row follows the memory through a call of which the table tells what it does to argument k.
func (f *flow) row(row *api.Func, i ssa.CallInstruction, k int) {
	for _, x := range row.Effects {
		switch x.Op {
		case api.Release, api.Disown, api.Adopt, api.Consume, api.Keep, api.Opaque, api.Weigh, api.Doubt, api.Spawn, api.Run, api.Transport, api.StoreIn,
			api.AtomicStore, api.AtomicSwap, api.AtomicCompareSwap:
			// What the function does before, its exploration has seen.
			switch {
			case x.Arg != k:
			case x.Op != api.Release:
				f.free = true
			case f.out:
				f.released = true
			}
		}
	}
	f.result(i)
}

// result follows what the call i returns.
func (f *flow) result(i ssa.CallInstruction) {
	if v := i.Value(); v != nil {
		f.follow(v)
	}
}

// rowOf returns what the function f does by an annotation, the table or its looks, nil if none
// tells.
func (p *Package) rowOf(f *types.Func, cc *ssa.CallCommon) *api.Func {
	if row := p.annotated(f, cc); row != nil {
		return row
	}
	return p.row(f)
}

func pathOf(f *types.Func) string {
	if f.Pkg() == nil {
		return ""
	}
	return f.Pkg().Path()
}

// mayLeadTo reports whether values of type t may be the memory, of type m, or lead to it by
// other ways than fields, which are containers of their own.
func mayLeadTo(t, m types.Type, seen []types.Type) bool {
	if slices.Contains(seen, t) || len(seen) > 6 {
		return false
	}
	if sameMemory(t, m) {
		return true
	}
	seen = append(seen, t)
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Struct, *types.Signature:
		return false
	case *types.Pointer:
		return mayLeadTo(u.Elem(), m, seen)
	case *types.Slice:
		return mayLeadTo(u.Elem(), m, seen)
	case *types.Array:
		return mayLeadTo(u.Elem(), m, seen)
	case *types.Chan:
		return mayLeadTo(u.Elem(), m, seen)
	case *types.Map:
		return mayLeadTo(u.Elem(), m, seen) || mayLeadTo(u.Key(), m, seen)
	case *types.Tuple:
		for v := range u.Variables() {
			if mayLeadTo(v.Type(), m, seen) {
				return true
			}
		}
		return false
	case *types.Interface:
		return !isError(t)
	}
	return true
}

// sameMemory reports whether what is given back as an m may be given back as a t.
func sameMemory(t, m types.Type) bool {
	bare := func(t types.Type) types.Type {
		if elem := elemOfPointer(t); elem != nil && isSlice(elem) {
			return elem
		}
		return t
	}
	t, m = bare(t), bare(m)
	return types.Identical(t, m) || isBytes(t) && isBytes(m) || generic(t) || generic(m)
}
