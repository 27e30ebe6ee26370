package ir

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

var errorType = types.Universe.Lookup("error").Type()

// IsError reports whether t is the type error.
func IsError(t types.Type) bool { return types.Identical(t, errorType) }

// Carries reports whether a value of type t can lead to pooled memory. An error may, and in practice
// does not.
func Carries(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Interface:
		return !IsError(t)
	case *types.Struct:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != nil {
			switch named.Obj().Pkg().Path() {
			case "time", "net/netip", "sync/atomic":
				return false
			}
		}
		for f := range u.Fields() {
			if Carries(f.Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return Carries(u.Elem())
	case *types.Signature, *types.Chan:
		return true
	}
	return true
}

// IsList reports whether t is a slice or an array.
func IsList(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Slice, *types.Array:
		return true
	}
	return false
}

// IsBuffer reports whether t is a pointer to a buffer of the standard library.
func IsBuffer(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	name := TypeName(p)
	if name == nil || name.Pkg() == nil {
		return false
	}
	switch name.Pkg().Path() + "." + name.Name() {
	case "bytes.Buffer", "bufio.Reader", "bufio.Writer", "bufio.ReadWriter":
		return true
	}
	return false
}

// Field returns the field whose address fa is.
func Field(fa *ssa.FieldAddr) *types.Var {
	return fa.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(fa.Field)
}

// Replaces reports whether code with the address fa of a field only returns what is there, or puts another value in its place.
func Replaces(fa *ssa.FieldAddr) bool {
	return !slices.ContainsFunc(*fa.Referrers(), func(use ssa.Instruction) bool {
		if store, ok := use.(*ssa.Store); ok {
			return store.Addr != fa
		}
		load, ok := use.(*ssa.UnOp)
		return !ok || slices.ContainsFunc(*load.Referrers(), func(use ssa.Instruction) bool {
			_, returned := use.(*ssa.Return)
			if store, ok := use.(*ssa.Store); ok { // as a result, where something is deferred
				_, returned = store.Addr.(*ssa.Alloc)
			}
			return !returned
		})
	})
}

// releasing has the names of methods, in lower case, that may give back their receiver, or what that has.
var releasing = map[string]bool{
	"release": true, "free": true, "unref": true, "decref": true, "decrref": true,
	"close": true, "recycle": true, "put": true, "destroy": true, "dispose": true, "done": true,
}

// Releasing reports whether a method of this name may give back its receiver, or what that has.
func Releasing(name string) bool { return releasing[strings.ToLower(name)] }

// Releases reports whether t has such a method.
func Releases(t *types.Interface) bool {
	for m := range t.Methods() {
		if Releasing(m.Name()) {
			return true
		}
	}
	return false
}

// TypeName returns the name of the type t, or of what t points to; nil if it has none.
func TypeName(t types.Type) types.Object {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := types.Unalias(t).(*types.Named); ok {
		return named.Obj()
	}
	return nil
}

// Counts reports whether the function of p adds to a number in it, atomically, or takes one from it, as
// methods do that count references.
func Counts(p *ssa.Parameter) bool {
	for _, use := range *p.Referrers() {
		field, ok := use.(*ssa.FieldAddr)
		if !ok {
			continue
		}
		for _, use := range *field.Referrers() {
			switch use := use.(type) {
			case *ssa.Call:
				if f := Declared(&use.Call); f != nil && f.Pkg() != nil && f.Pkg().Path() == "sync/atomic" && strings.HasPrefix(f.Name(), "Add") {
					return true
				}
			case *ssa.UnOp:
				for _, use := range *use.Referrers() {
					b, ok := use.(*ssa.BinOp)
					if !ok || b.Op != token.SUB {
						continue
					}
					if k, ok := b.Y.(*ssa.Const); ok && k.Int64() == 1 {
						return true
					}
				}
			}
		}
	}
	return false
}
