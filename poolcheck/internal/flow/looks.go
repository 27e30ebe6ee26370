package flow

import (
	"cmp"
	"go/types"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// Some pools are known by their looks: an interface, or a struct of functions, that hands out
// what it takes back, and the functions of a package, or the methods of a type, elsewhere; and
// channels and lists of idle buffers (idle.go).

// row returns what the function f does by the table, or by its looks; nil if neither
// tells.
func (p *Package) row(f *types.Func) *api.Func {
	if row := p.table[Name(f)]; row != nil {
		return row
	}
	if row, ok := p.looks[f]; ok {
		return row
	}
	var row *api.Func
	if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) {
		if row = interfaceRow(f, recv.Type()); row == nil {
			row = appendRow(f, 1)
		}
	} else if p.foreign(f) {
		row = foreignRow(f)
		if row == nil && recv == nil {
			row = cmp.Or(errorRow(f), appendRow(f, 0))
		} else if row == nil {
			row = appendRow(f, 1)
		}
	}
	p.looks[f] = row
	return row
}

// foreign reports whether f is a function of another package whose code tells nothing.
func (p *Package) foreign(f *types.Func) bool {
	if f.Pkg() == nil || f.Pkg() == p.types || api.Standard(f.Pkg().Path()) || p.packages[f.Pkg().Path()] {
		return false
	}
	sum := p.imported(f)
	return sum == nil || sum.Opaque && !sum.pools()
}

// foreignRow returns what f, a function or method of another package, does by its looks.
func foreignRow(f *types.Func) *api.Func {
	recv := f.Signature().Recv()
	if recv == nil {
		var all []types.Object
		for _, name := range f.Pkg().Scope().Names() {
			all = append(all, f.Pkg().Scope().Lookup(name))
		}
		return pairRow(packageName(f.Pkg()), f, all, 0)
	}
	t := recv.Type()
	if elem := elemOfPointer(t); elem != nil {
		t = elem
	}
	return pairRow(typeName(t), f, methods(t), 1)
}

// packageName returns what the names around a function of pkg say of it.
func packageName(pkg *types.Package) string {
	dir, base := path.Split(pkg.Path())
	return path.Base(dir) + " " + base
}

// typeName returns what the names around a method, or field, of t say of it.
func typeName(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	switch {
	case !ok:
		return ""
	case named.Obj().Pkg() == nil:
		return named.Obj().Name()
	}
	return named.Obj().Name() + " " + named.Obj().Pkg().Name()
}

// rowOfValue returns what the function in a field does by an annotation, or by its looks.
func (p *Package) rowOfValue(cc *ssa.CallCommon) *api.Func {
	if row := p.annotatedType(cc); row != nil || cc.IsInvoke() {
		return row
	}
	fa, ok := loaded(cc.Value).(*ssa.FieldAddr)
	if !ok || p.stored(cc.Value) != nil {
		return nil
	}
	owner := elemOfPointer(fa.X.Type())
	return pairRow(typeName(owner), fieldOf(fa), fields(owner), 0)
}

// interfaceRow returns what the method f of the interface t does by its looks.
func interfaceRow(f *types.Func, t types.Type) *api.Func {
	return pairRow(typeName(t), f, methods(t), 1)
}

// fields returns the fields of the struct t.
func fields(t types.Type) []types.Object {
	var list []types.Object
	for f := range t.Underlying().(*types.Struct).Fields() {
		list = append(list, f)
	}
	return list
}

// methods returns the methods of the interface t, or those that a type with a name
// declares.
func methods(t types.Type) []types.Object {
	var list []types.Object
	if iface, ok := t.Underlying().(*types.Interface); ok {
		for m := range iface.Methods() {
			list = append(list, m)
		}
	} else if named, ok := types.Unalias(t).(*types.Named); ok {
		for m := range named.Methods() {
			list = append(list, m)
		}
	}
	return list
}

// DeclaresPool reports whether pkg declares what looks like a pool, a type that holds bytes and
// has a method that gives it back, or a channel and what gives memory back to it.
func DeclaresPool(pkg *types.Package) bool {
	paired := func(owner string, list []types.Object) bool {
		return slices.ContainsFunc(list, func(f types.Object) bool { return pairRow(owner, f, list, 0) != nil })
	}
	var all []types.Object
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		all = append(all, obj)
		if _, ok := obj.(*types.TypeName); !ok {
			continue
		}
		_, isStruct := obj.Type().Underlying().(*types.Struct)
		name := typeName(obj.Type())
		if paired(name, methods(obj.Type())) || isStruct && (paired(name, fields(obj.Type())) || givesItselfBack(obj.Type())) {
			return true
		}
	}
	return paired(packageName(pkg), all) || givesToChannel(all)
}

// givesToChannel reports whether list has a variable or field that is a channel of memory, and
// a function or method that takes such memory back by its name.
func givesToChannel(list []types.Object) bool {
	var elems []types.Type
	channel := func(v types.Object) {
		if ch, ok := v.Type().Underlying().(*types.Chan); ok && HoldsBytes(ch.Elem()) {
			elems = append(elems, ch.Elem())
		}
	}
	functions := slices.Clip(list)
	for _, obj := range list {
		switch obj := obj.(type) {
		case *types.Var:
			channel(obj)
		case *types.TypeName:
			if _, ok := obj.Type().Underlying().(*types.Struct); ok {
				for _, f := range fields(obj.Type()) {
					channel(f)
				}
				functions = append(functions, methods(obj.Type())...)
			}
		}
	}
	return len(elems) > 0 && slices.ContainsFunc(functions, func(f types.Object) bool {
		sig, ok := f.Type().(*types.Signature)
		return ok && verb(f.Name(), giveBack) != "" && sig.Params().Len() == 1 &&
			slices.ContainsFunc(elems, func(t types.Type) bool { return sameType(t, sig.Params().At(0).Type()) })
	})
}

// givesItselfBack reports whether t holds bytes and has a method by whose name it goes back.
func givesItselfBack(t types.Type) bool {
	return slices.ContainsFunc(methods(t), func(m types.Object) bool {
		return verb(m.Name(), giveBack) != "" && m.Name() != "Put" && m.Type().(*types.Signature).Params().Len() == 0
	}) && HoldsBytes(t)
}

// pairRow returns what f does if it and another of list, both functions of something with
// the name owner, are the two of a pool. first is the index of their first parameter among the arguments.
func pairRow(owner string, f types.Object, list []types.Object, first int) *api.Func {
	sig, ok := f.Type().Underlying().(*types.Signature)
	get, put := verb(f.Name(), handOut), verb(f.Name(), giveBack)
	if !ok || get == "" && put == "" {
		return nil
	}
	for _, other := range list {
		with, ok := other.Type().Underlying().(*types.Signature)
		switch {
		case !ok:
		case put != "":
			if get := verb(other.Name(), handOut); get != "" && pools(owner, f.Name(), get, with, sig) {
				return &api.Func{Family: api.Likely, Effects: []api.Effect{{Op: api.Release, Arg: first}}}
			}
		case verb(other.Name(), giveBack) != "" && pools(owner, f.Name(), get, sig, with):
			row := &api.Func{Family: api.Likely, Effects: []api.Effect{{Op: api.Acquire}}}
			if sig.Results().Len() == 2 {
				row.Effects = append(row.Effects, api.Effect{Op: api.Fail, Res: 1})
			}
			return row
		}
	}
	return nil
}

var (
	handOut  = []string{"get", "acquire", "alloc", "allocate", "malloc", "borrow", "rent"}
	giveBack = []string{"put", "release", "free", "return", "recycle", "dealloc", "deallocate", "giveback"}
)

// verb returns the verb among some that name is, perhaps with a noun such as Buffer.
func verb(name string, some []string) string {
	name = strings.ToLower(name)
	for _, noun := range []string{"buffer", "bytes", "buf", "slice", "chunk", "block", "len", "cap", "size"} {
		name = strings.TrimSuffix(name, noun)
	}
	if slices.Contains(some, name) {
		return name
	}
	return ""
}

// pools reports whether get hands out memory, for a size at most, of the type that put
// takes back. get and put are common verbs: then something is called a pool.
func pools(owner, name, get string, handsOut, takesBack *types.Signature) bool {
	results, params := handsOut.Results(), takesBack.Params()
	if results.Len() == 0 || results.Len() > 2 || params.Len() == 0 || handsOut.Params().Len() > 2 ||
		!sameType(results.At(0).Type(), params.At(0).Type()) || !HoldsBytes(results.At(0).Type()) ||
		results.Len() == 2 && !isError(results.At(1).Type()) || takesBack.Results().Len() > 1 {
		return false
	}
	for _, list := range []*types.Tuple{handsOut.Params(), params} {
		for v := range list.Variables() {
			if !isInteger(v.Type()) && v != params.At(0) {
				return false
			}
		}
	}
	if get != "get" && get != "acquire" && get != "borrow" {
		return true
	}
	called := strings.ToLower(name + " " + owner)
	return slices.ContainsFunc([]string{"pool", "buf", "alloc", "recycl", "arena", "free"}, func(s string) bool { return strings.Contains(called, s) })
}

// sameType reports whether t and u are the same type, by the same name if they are type
// parameters of two methods, or pointers to such.
func sameType(t, u types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		if q, ok := u.(*types.Pointer); ok {
			return sameType(p.Elem(), q.Elem())
		}
	}
	p, ok := t.(*types.TypeParam)
	q, same := u.(*types.TypeParam)
	return types.Identical(t, u) || ok && same && p.Obj().Name() == q.Obj().Name()
}
