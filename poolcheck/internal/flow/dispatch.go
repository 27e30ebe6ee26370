package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// maxTargets is how many functions a dynamic call may reach to be followed.
const maxTargets = 4

// targets returns what a call may reach, nil if that is not known.
func (e *explorer) targets(s *state, c *call) []target {
	if !c.common.IsInvoke() {
		if t := e.target(s, c); t.fn != nil || t.obj != nil {
			return []target{t}
		}
		var ts []target
		for _, fn := range e.stored(c.common.Value) {
			ts = append(ts, e.declared(fn))
		}
		if len(ts) == 0 && e.leadToPooled(s, c.args) {
			ts = e.literalsOf(c.common.Value.Type())
		}
		return ts
	}
	method := c.common.Method
	if o := c.args[0].identity(); o != nil && concrete(o.typ) {
		if t := e.method(o.typ, method.Pkg(), method.Name()); t.obj != nil || t.wrapper {
			return []target{t}
		}
	}
	var ts []target
	for _, t := range e.implementers(c.common.Value.Type()) {
		ts = append(ts, e.method(t, method.Pkg(), method.Name()))
	}
	if len(ts) == 0 {
		ts = []target{{obj: method.Origin()}}
	}
	return ts
}

// mayCall returns the declared function or method that cc names, nil if there is none, and those
// of the package's functions that it may reach, as far as the package shows.
func (p *Package) mayCall(cc *ssa.CallCommon) (obj *types.Func, fns []*ssa.Function) {
	callee := cc.StaticCallee()
	switch {
	case cc.IsInvoke():
		obj = cc.Method.Origin()
		for _, t := range p.implementers(cc.Value.Type()) {
			if fn := p.method(t, cc.Method.Pkg(), cc.Method.Name()).fn; fn != nil {
				fns = append(fns, fn)
			}
		}
	case callee == nil:
		fns = p.stored(cc.Value)
	default:
		callee = origin(callee)
		obj, _ = callee.Object().(*types.Func)
		if len(callee.Blocks) > 0 {
			fns = append(fns, callee)
		}
	}
	return obj, fns
}

// sameAgain returns those of targets that the call c reaches: if a method of one of their
// types, called through the same interface, has acquired what c is given, only the method
// of that type.
func (e *explorer) sameAgain(s *state, c *call, targets []target) []target {
	if len(targets) < 2 || !c.common.IsInvoke() {
		return targets
	}
	same := -1
	for o := range s.reachable(c.args[1:]) {
		for x := o.in; o.acq != nil && x != nil && !e.in.within(x); x = x.outer {
			by := x.instr.Common()
			if !by.IsInvoke() || !types.Identical(by.Value.Type(), c.common.Value.Type()) {
				continue
			}
			k := slices.IndexFunc(targets, func(t target) bool { return t.fn != nil && sameReceiver(t.fn, x.fn) })
			if same >= 0 && same != k {
				return targets
			}
			same = k
		}
	}
	if same < 0 {
		return targets
	}
	return targets[same : same+1]
}

func sameReceiver(f, g *ssa.Function) bool {
	r, t := f.Signature.Recv(), g.Signature.Recv()
	return r != nil && t != nil && types.Identical(r.Type(), t.Type())
}

// cameBy reports whether o was made in a method that the call c of an interface has run.
func (e *explorer) cameBy(o *object, c *call) bool {
	for x := o.in; c.common.IsInvoke() && x != nil; x = x.outer {
		if x.outer == e.in && x.instr == c.instr {
			return true
		}
	}
	return false
}

// literalsOf returns the function literals that the package gives the function type t,
// which it declares, and the unknown target: there may be others.
func (p *Package) literalsOf(t types.Type) []target {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok {
		return nil
	}
	list := p.literals[named.Obj()]
	if len(list) == 0 || len(list) > maxTargets {
		return nil
	}
	var ts []target
	for _, fn := range list {
		ts = append(ts, target{fn: fn})
	}
	return append(ts, target{})
}

// collectLiteral notes that the function literal that v is becomes one of the function
// type t, if this package declares that.
func (p *Package) collectLiteral(t types.Type, v ssa.Value) {
	var fn *ssa.Function
	switch v := v.(type) {
	case *ssa.MakeClosure:
		fn = v.Fn.(*ssa.Function)
	case *ssa.Function:
		fn = v
	}
	named, ok := types.Unalias(t).(*types.Named)
	if fn == nil || fn.Parent() == nil || !ok || named.Obj().Pkg() != p.types || slices.Contains(p.literals[named.Obj()], fn) {
		return
	}
	p.literals[named.Obj()] = append(p.literals[named.Obj()], fn)
}

// declared returns the target of a call of fn.
func (e *explorer) declared(fn *ssa.Function) target {
	t := target{fn: fn}
	if f, ok := fn.Object().(*types.Func); ok && fn.Parent() == nil {
		t.obj = f.Origin()
	}
	return t
}

// method returns the method of t that has a name, which pkg knows, the zero target if
// there is none or it is not known.
func (p *Package) method(t types.Type, pkg *types.Package, name string) target {
	sel := p.prog.MethodSets.MethodSet(t).Lookup(pkg, name)
	if sel == nil {
		return target{}
	}
	obj := sel.Obj().(*types.Func)
	if types.IsInterface(obj.Signature().Recv().Type()) && len(sel.Index()) == 1 {
		return target{}
	}
	// A promoted method has a wrapper that finds the field.
	if len(sel.Index()) == 1 && (p.types == nil || obj.Pkg() != p.types) {
		return target{obj: obj.Origin()}
	}
	fn := p.prog.LookupMethod(t, pkg, name)
	if fn == nil {
		return target{obj: obj.Origin()}
	}
	if len(sel.Index()) > 1 {
		return target{fn: fn, wrapper: true}
	}
	if fn.Synthetic != "" {
		fn = p.body(obj.Origin()) // of a pointer to a struct that has the method itself
	}
	if fn == nil {
		return target{obj: obj.Origin()}
	}
	fn = origin(fn)
	return target{fn: fn, obj: obj.Origin()}
}

// implementers returns the types that values of the interface t may have, nil if
// others than this package's may be among them: t has a name that only this
// package knows, or a method that only its types have.
func (p *Package) implementers(t types.Type) []types.Type {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg() != p.types {
		return nil
	}
	if list, ok := p.implemented[named]; ok {
		return list
	}
	iface, ok := named.Underlying().(*types.Interface)
	closed := ok && !named.Obj().Exported()
	for i := 0; ok && i < iface.NumMethods(); i++ {
		closed = closed || !iface.Method(i).Exported()
	}
	var list []types.Type
	if closed && iface.NumMethods() > 0 {
		list = p.implementing(iface)
	}
	if len(list) > maxTargets {
		list = nil
	}
	p.implemented[named] = list
	return list
}

// implementing returns the types of the package that implement iface, or pointers to them.
func (p *Package) implementing(iface *types.Interface) []types.Type {
	var list []types.Type
	for _, name := range p.types.Scope().Names() {
		tn, ok := p.types.Scope().Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		n, ok := tn.Type().(*types.Named)
		if !ok || n.TypeParams().Len() > 0 {
			continue
		}
		if types.Implements(n, iface) {
			list = append(list, n)
		} else if ptr := types.NewPointer(n); types.Implements(ptr, iface) {
			list = append(list, ptr)
		}
	}
	return list
}

// A functionSet is what variables and fields of functions hold.
type functionSet struct {
	fns  []*ssa.Function
	open bool // others, too
}

// stored returns the functions that v may be, if it was read from a field or
// variable, or from a list or map there, to which only this package stores
// functions, and only ones that it declares.
func (p *Package) stored(v ssa.Value) []*ssa.Function {
	if set := p.functions[placeOf(v)]; set != nil && !set.open && len(set.fns) <= maxTargets {
		return set.fns
	}
	return nil
}

// placeOf returns the field or variable that a function, or a list or map of
// functions, was read from, nil if it was none.
func placeOf(v ssa.Value) types.Object {
	switch v := v.(type) {
	case *ssa.UnOp:
		return addressed(v.X)
	case *ssa.Lookup:
		return placeOf(v.X)
	case *ssa.Extract:
		switch tuple := v.Tuple.(type) {
		case *ssa.Lookup:
			return placeOf(tuple.X)
		case *ssa.Next:
			if r, ok := tuple.Iter.(*ssa.Range); ok {
				return placeOf(r.X)
			}
		}
	case *ssa.Slice:
		return placeOf(v.X)
	case *ssa.ChangeType:
		return placeOf(v.X)
	}
	return nil
}

// addressed returns the field or variable that addr is, or is inside of.
func addressed(addr ssa.Value) types.Object {
	switch a := addr.(type) {
	case *ssa.FieldAddr:
		return fieldOf(a)
	case *ssa.Global:
		return a.Object()
	case *ssa.IndexAddr:
		if _, slice := a.X.Type().Underlying().(*types.Slice); slice {
			return placeOf(a.X)
		}
		return addressed(a.X)
	}
	return nil
}

func fieldOf(fa *ssa.FieldAddr) *types.Var {
	return fa.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(fa.Field).Origin()
}

// holdsFunctions reports whether t is a function, or a list or map of functions.
func holdsFunctions(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Slice:
		return holdsFunctions(u.Elem())
	case *types.Array:
		return holdsFunctions(u.Elem())
	case *types.Map:
		return holdsFunctions(u.Elem())
	}
	return false
}

// collectFunctions notes the functions that fn stores in fields and variables.
func (p *Package) collectFunctions(fn *ssa.Function) {
	for instr := range instructions(fn) {
		switch i := instr.(type) {
		case *ssa.Store:
			if obj := addressed(i.Addr); obj != nil && holdsFunctions(i.Val.Type()) {
				p.functionsAt(obj).add(obj, i.Val)
			}
		case *ssa.MapUpdate:
			if obj := placeOf(i.Map); obj != nil && holdsFunctions(i.Value.Type()) {
				p.functionsAt(obj).add(obj, i.Value)
			}
		case *ssa.ChangeType:
			p.collectLiteral(i.Type(), i.X)
		case *ssa.FieldAddr, *ssa.IndexAddr:
			// Code that has the address may store anything.
			addr := i.(ssa.Value)
			if obj := addressed(addr); obj != nil && holdsFunctions(elemOfPointer(addr.Type())) && !onlyAccessed(addr) {
				p.functionsAt(obj).open = true
			}
		}
	}
}

func (p *Package) functionsAt(obj types.Object) *functionSet {
	set := p.functions[obj]
	if set == nil {
		set = &functionSet{open: obj.Exported()}
		p.functions[obj] = set
	}
	return set
}

// onlyAccessed reports whether the address addr is only loaded from, stored to,
// and taken elements of.
func onlyAccessed(addr ssa.Value) bool {
	for _, use := range *addr.Referrers() {
		switch use := use.(type) {
		case *ssa.UnOp, *ssa.DebugRef, *ssa.IndexAddr:
		case *ssa.Store:
			if use.Addr != addr {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// add adds the functions that v is, or holds.
func (set *functionSet) add(obj types.Object, v ssa.Value) {
	switch v := v.(type) {
	case *ssa.Function:
		if !slices.Contains(set.fns, v) {
			set.fns = append(set.fns, v)
		}
	case *ssa.MakeClosure:
		set.add(obj, v.Fn)
	case *ssa.ChangeType:
		set.add(obj, v.X)
	case *ssa.Const:
	case *ssa.Slice:
		if a, ok := v.X.(*ssa.Alloc); ok {
			set.addElements(obj, a)
		} else {
			set.add(obj, v.X)
		}
	case *ssa.MakeMap:
		for _, use := range *v.Referrers() {
			if u, ok := use.(*ssa.MapUpdate); ok && u.Map == v {
				set.add(obj, u.Value)
			}
		}
	case *ssa.MakeSlice:
	case *ssa.Call:
		if !isBuiltinCall(v, "append") {
			set.open = true
			return
		}
		for _, a := range v.Call.Args {
			set.add(obj, a)
		}
	default:
		set.open = set.open || placeOf(v) != obj
	}
}

// addElements adds the functions that are stored in the array a.
func (set *functionSet) addElements(obj types.Object, a *ssa.Alloc) {
	for _, use := range *a.Referrers() {
		ia, ok := use.(*ssa.IndexAddr)
		if !ok {
			continue
		}
		for _, u := range *ia.Referrers() {
			if st, ok := u.(*ssa.Store); ok && st.Addr == ia {
				set.add(obj, st.Val)
			}
		}
	}
}

func isBuiltinCall(c *ssa.Call, name string) bool {
	b, ok := c.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == name
}
