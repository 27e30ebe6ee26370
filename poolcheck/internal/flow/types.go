package flow

import (
	"go/types"
	"slices"
	"strings"
)

// carries reports whether a value of type t can lead to pooled memory.
func carries(t types.Type) bool {
	if holdsNothing(t) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Interface:
		// An error may lead anywhere; in practice it does not.
		return !isError(t)
	case *types.Struct:
		for i := range u.NumFields() {
			if carries(u.Field(i).Type()) {
				return true
			}
		}
		return false
	case *types.Array:
		return carries(u.Elem())
	case *types.Tuple:
		return true
	}
	return true
}

// holdsNothing reports whether t is a type of the standard library whose values hold nothing of the
// program's, although they have pointers.
func holdsNothing(t types.Type) bool {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	switch named.Obj().Pkg().Path() {
	case "time", "net/netip", "math/rand", "math/rand/v2", "log":
		return true
	case "sync":
		return !slices.Contains([]string{"Pool", "Map", "Once"}, named.Obj().Name())
	}
	return false
}

var errorType = types.Universe.Lookup("error").Type()

func isError(t types.Type) bool { return types.Identical(t, errorType) }

// implementsError reports whether t is an error, or a type of errors.
func implementsError(t types.Type) bool {
	return types.Implements(t, errorType.Underlying().(*types.Interface))
}

// isScalar reports whether branches may tell something of values of type t.
func isScalar(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsBoolean|types.IsInteger|types.IsString) != 0
	case *types.Interface:
		return true
	}
	return false
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// isBytes reports whether t is a slice of bytes.
func isBytes(t types.Type) bool {
	s, ok := t.Underlying().(*types.Slice)
	if !ok {
		return false
	}
	b, ok := s.Elem().Underlying().(*types.Basic)
	return ok && (b.Kind() == types.Byte || b.Kind() == types.Invalid)
}

// isSlice reports whether t is a slice.
func isSlice(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// isBuffer reports whether t is a buffer rather than something that has one: a
// slice of bytes, a buffer or compressor of the standard library, or a struct
// that is called a buffer or holds nothing but one. To leave a connection or a request to the
// collector, in place of its pool, is often meant.
func isBuffer(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	if isBytes(t) {
		return true
	}
	if a, ok := t.Underlying().(*types.Array); ok {
		return types.Identical(a.Elem(), types.Typ[types.Byte])
	}
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return false
	}
	switch root, _, _ := strings.Cut(named.Obj().Pkg().Path(), "/"); root {
	case "bytes", "bufio", "compress", "strings":
		return true
	}
	if strings.Contains(strings.ToLower(named.Obj().Name()), "buf") {
		return true
	}
	s, ok := named.Underlying().(*types.Struct)
	return ok && s.NumFields() == 1 && isBytes(s.Field(0).Type())
}

// HoldsBytes reports whether objects of type t are, or hold, buffers of bytes:
// a slice of bytes, a pointer to one, or a struct with such a field, at most a
// few fields deep. Other objects of a sync.Pool are none of poolcheck's
// business.
func HoldsBytes(t types.Type) bool { return holdsBytes(t, 0) }

func holdsBytes(t types.Type, depth int) bool {
	if depth > 4 {
		return false
	}
	if isBytes(t) {
		return true
	}
	if _, generic := types.Unalias(t).(*types.TypeParam); generic {
		return true // it depends on the type argument
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return holdsBytes(u.Elem(), depth+1)
	case *types.Array:
		if b, ok := u.Elem().Underlying().(*types.Basic); ok {
			return b.Kind() == types.Byte
		}
		return holdsBytes(u.Elem(), depth+1)
	case *types.Slice:
		return holdsBytes(u.Elem(), depth+1)
	case *types.Struct:
		for i := range u.NumFields() {
			if holdsBytes(u.Field(i).Type(), depth+1) {
				return true
			}
		}
	}
	return false
}

// concrete reports whether t is known, and neither an interface nor made of type
// parameters.
func concrete(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	return !generic(t) && !types.IsInterface(t)
}

// generic reports whether t is a type parameter, or made of one.
func generic(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Pointer:
		return generic(t.Elem())
	case *types.Slice:
		return generic(t.Elem())
	case *types.Array:
		return generic(t.Elem())
	case *types.Map:
		return generic(t.Key()) || generic(t.Elem())
	case *types.Chan:
		return generic(t.Elem())
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if generic(arg) {
				return true
			}
		}
	}
	return false
}

func isString(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// isReader reports whether t is a buffer of the standard library that goes on
// using what it shows.
func isReader(t types.Type) bool {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := t.(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return false
	}
	switch n.Obj().Pkg().Path() + "." + n.Obj().Name() {
	case "bufio.Reader", "bufio.Scanner", "bufio.Writer", "bytes.Buffer":
		return true
	}
	return false
}
