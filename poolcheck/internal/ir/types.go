package ir

import (
	"go/token"
	"go/types"
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

// Field returns the field whose address fa is.
func Field(fa *ssa.FieldAddr) *types.Var {
	return fa.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct).Field(fa.Field)
}

// A Verb is what a method does to its receiver by its name.
type Verb uint8

const (
	Other   Verb = iota
	Retain       // one more reference
	Release      // one reference less
	Close        // it gives back what it has
)

// verbs has the names in lower case.
var verbs = map[string]Verb{
	"retain": Retain, "ref": Retain, "incref": Retain, "incrref": Retain, "addref": Retain,
	"release": Release, "free": Release, "unref": Release, "decref": Release, "decrref": Release,
	"close": Close, "recycle": Close, "put": Close, "destroy": Close, "dispose": Close, "done": Close,
}

// Releasing reports whether a method of this name may give back its receiver, or what that has.
func Releasing(name string) bool { return verbs[strings.ToLower(name)] >= Release }

// VerbOf returns what the method f, if it has no parameters, does to the references to its receiver.
func VerbOf(f *types.Func) Verb {
	if sig := f.Signature(); sig.Recv() == nil || sig.Params().Len() > 0 {
		return Other
	}
	return verbs[strings.ToLower(f.Name())]
}

// Counts reports whether values of type t count the references to them: whether they have one method
// that adds one and one that takes one back.
func Counts(t types.Type) bool {
	var n [Close + 1]int
	set := types.NewMethodSet(t)
	for i := range set.Len() {
		n[VerbOf(set.At(i).Obj().(*types.Func))]++
	}
	return n[Retain] == 1 && n[Release] == 1
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

// Counting reports whether fn counts: what it releases it may release only once a number comes to zero.
func Counting(fn *ssa.Function) bool {
	for i := range Instructions(fn) {
		switch i := i.(type) {
		case *ssa.Call:
			if f := Declared(&i.Call); f != nil && f.Pkg() != nil && f.Pkg().Path() == "sync/atomic" && strings.HasPrefix(f.Name(), "Add") {
				return true
			}
		case *ssa.BinOp:
			load, ok := i.X.(*ssa.UnOp)
			if k, one := i.Y.(*ssa.Const); !ok || !one || i.Op != token.SUB || k.Int64() != 1 {
				continue
			}
			if _, field := load.X.(*ssa.FieldAddr); field {
				return true
			}
		}
	}
	return false
}

// Embedded reports whether v is read from an embedded field.
func Embedded(v ssa.Value) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return false
	}
	fa, ok := load.X.(*ssa.FieldAddr)
	return ok && Field(fa).Embedded()
}

// BeginsCount reports whether the function that makes a sets a number in it to one, as a constructor does
// with the count of its result.
func BeginsCount(a *ssa.Alloc) bool {
	counts := func(addr, v ssa.Value) bool {
		fa, ok := addr.(*ssa.FieldAddr)
		k, one := v.(*ssa.Const)
		return ok && fa.X == a && one && k.Value != nil && k.Value.ExactString() == "1"
	}
	for i := range Instructions(a.Parent()) {
		switch i := i.(type) {
		case *ssa.Call:
			f := Declared(&i.Call)
			if f != nil && f.Pkg() != nil && f.Pkg().Path() == "sync/atomic" && counts(i.Call.Args[0], i.Call.Args[len(i.Call.Args)-1]) {
				return true
			}
		case *ssa.Store:
			if counts(i.Addr, i.Val) {
				return true
			}
		}
	}
	return false
}
