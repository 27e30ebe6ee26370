package counts

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A verb is what a method does to the number of references to its receiver, by its name.
type verb int8

const (
	other   verb = 0
	share   verb = 1
	release verb = -1
)

// verbs has the names, in lower case, of methods that count references.
var verbs = map[string]verb{
	"retain": share, "ref": share, "incref": share, "incrref": share, "addref": share,
	"release": release, "free": release, "unref": release, "decref": release, "decrref": release,
}

// verbOf returns what f does by its name.
func verbOf(f *types.Func) verb {
	sig := f.Signature()
	if sig.Recv() == nil || sig.Params().Len() > 0 {
		return other
	}
	return verbs[strings.ToLower(f.Name())]
}

// isCounted reports whether values of type t count the references to them: t has methods of
// both kinds, or points to a struct with a field that its methods count in.
func (p *Package) isCounted(t types.Type) bool {
	t = types.Unalias(t)
	base, pointer := t, false
	if ptr, ok := t.(*types.Pointer); ok {
		base, pointer = types.Unalias(ptr.Elem()), true
	}
	named, ok := base.(*types.Named)
	if !ok || named.Obj().Pkg() == nil || pointer == types.IsInterface(named) {
		return false
	}
	counted, known := p.counted[named.Obj()]
	if !known {
		st, isStruct := named.Underlying().(*types.Struct)
		counted = hasBoth(t) || isStruct && p.counter(st) != nil
		p.counted[named.Obj()] = counted
	}
	return counted
}

// hasBoth reports whether t has methods that add a reference and that take one back.
func hasBoth(t types.Type) bool {
	shares, releases := false, false
	for m := range types.NewMethodSet(t).Methods() {
		v := verbOf(m.Obj().(*types.Func))
		shares, releases = shares || v == share, releases || v == release
	}
	return shares && releases
}

// Declares reports whether pkg declares a type with methods of both kinds.
func Declares(pkg *types.Package) bool {
	for _, name := range pkg.Scope().Names() {
		obj, ok := pkg.Scope().Lookup(name).(*types.TypeName)
		if !ok {
			continue
		}
		both := make(map[verb]bool)
		if iface, ok := obj.Type().Underlying().(*types.Interface); ok {
			for m := range iface.Methods() {
				both[verbOf(m)] = true
			}
		} else if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
			for m := range named.Methods() {
				both[verbOf(m)] = true
			}
		}
		if both[share] && both[release] {
			return true
		}
	}
	return false
}

// counter returns the field of st that counts references, of an embedded struct perhaps; nil if
// there is none.
func (p *Package) counter(st *types.Struct) *types.Var {
	for f := range st.Fields() {
		if p.counters[f] {
			return f
		}
		if inner, ok := f.Type().Underlying().(*types.Struct); ok && f.Embedded() {
			if c := p.counter(inner); c != nil {
				return c
			}
		}
	}
	return nil
}

// isList reports whether t is a slice or an array of counted values.
func (p *Package) isList(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return p.isCounted(u.Elem())
	case *types.Array:
		return p.isCounted(u.Elem())
	case *types.Pointer:
		a, ok := u.Elem().Underlying().(*types.Array)
		return ok && p.isCounted(a.Elem())
	}
	return false
}

// follows reports whether values of type t are followed.
func (p *Package) follows(t types.Type) bool { return p.isCounted(t) || p.isList(t) }

// collectCounters finds the fields that methods of fns subtract one from, if the methods ask
// whether that was the last: they count references.
func (p *Package) collectCounters(fns []*ssa.Function) {
	for _, fn := range fns {
		if fn.Signature.Recv() == nil {
			continue
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				if field, _, delta := counting(instr); delta == -1 && comparesZero(instr) {
					p.counters[field] = true
				}
			}
		}
	}
}

// counting returns the field that instr adds delta to, or sets to delta if it is new, and the
// struct that has it.
func counting(instr ssa.Instruction) (field *types.Var, of ssa.Value, delta int64) {
	var addr, by ssa.Value
	sign := int64(1)
	switch i := instr.(type) {
	case *ssa.Call:
		callee := i.Call.StaticCallee()
		if callee == nil || callee.Pkg == nil || callee.Pkg.Pkg.Path() != "sync/atomic" || len(i.Call.Args) != 2 {
			return nil, nil, 0
		}
		switch callee.Name() {
		case "Add", "AddInt32", "AddInt64", "AddUint32", "AddUint64", "Store", "StoreInt32", "StoreInt64", "StoreUint32", "StoreUint64":
			addr, by = i.Call.Args[0], i.Call.Args[1]
		}
	case *ssa.Store:
		addr, by = i.Addr, i.Val
		if sum, ok := by.(*ssa.BinOp); ok && (sum.Op == token.ADD || sum.Op == token.SUB) {
			load, isLoad := sum.X.(*ssa.UnOp)
			if !isLoad || !sameField(load.X, addr) {
				return nil, nil, 0
			}
			by = sum.Y
			if sum.Op == token.SUB {
				sign = -1
			}
		}
	}
	fa, ok := addr.(*ssa.FieldAddr)
	k, isConst := by.(*ssa.Const)
	if !ok || !isConst || k.Value == nil {
		return nil, nil, 0
	}
	if b, ok := k.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsInteger == 0 {
		return nil, nil, 0
	}
	n := k.Int64()
	if k.Type().Underlying().(*types.Basic).Info()&types.IsUnsigned != 0 && (k.Uint64() == 1<<64-1 || k.Uint64() == 1<<32-1) {
		n = -1
	}
	return fieldOf(fa), fa.X, sign * n
}

func fieldOf(fa *ssa.FieldAddr) *types.Var {
	return fa.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(fa.Field)
}

func sameField(a, b ssa.Value) bool {
	x, ok := a.(*ssa.FieldAddr)
	y, same := b.(*ssa.FieldAddr)
	return ok && same && x.X == y.X && x.Field == y.Field
}

// comparesZero reports whether what instr leaves is compared with a number in its function.
func comparesZero(instr ssa.Instruction) bool {
	compared := func(v ssa.Value) bool {
		for _, use := range *v.Referrers() {
			if b, ok := use.(*ssa.BinOp); ok && (b.Op == token.EQL || b.Op == token.NEQ || b.Op == token.LEQ || b.Op == token.GTR || b.Op == token.LSS) {
				return true
			}
		}
		return false
	}
	switch i := instr.(type) {
	case *ssa.Call:
		return compared(i)
	case *ssa.Store:
		if v := i.Val; v.Referrers() != nil && compared(v) {
			return true
		}
		for _, b := range i.Block().Parent().Blocks {
			for _, other := range b.Instrs {
				if load, ok := other.(*ssa.UnOp); ok && load.Op == token.MUL && sameField(load.X, i.Addr) && compared(load) {
					return true
				}
			}
		}
	}
	return false
}
