package flow

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// declared reports whether x points to a Buffer that is a variable of the
// program, or a part of one, in place of an object of the pool. t is the static
// type of the pointer, nil if it is not known.
func declared(x ref, t types.Type) bool {
	if x.rel != whole {
		return false
	}
	if x.path != "" {
		return isPlainBuffer(typeAt(x.obj.typ, x.path)) || t != nil && isPlainBuffer(elemOfPointer(t))
	}
	switch x.obj.site.(type) {
	case *ssa.Alloc, *ssa.Global, *ssa.FreeVar:
		return isPlainBuffer(elemOfPointer(x.obj.typ))
	}
	return false
}

func elemOfPointer(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return nil
}

// isPlainBuffer reports whether t is octet's Buffer, not a pointer to it.
func isPlainBuffer(t types.Type) bool {
	if t == nil {
		return false
	}
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Buffer" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == api.BufferPath
}

// emptied applies the release of a declared Buffer x. It gives its array away
// and is ready for use again: only what showed the array ends, and leads to an
// object of its own from now on.
func (e *explorer) emptied(s *state, x ref, g giving) {
	o := x.obj
	array := e.intern(objectKey{part: fmt.Sprintf("array %d%s", o.id, x.path)}, func(a *object) {
		a.at = o.at
		a.call(e.in, o.name(e.in)+x.path)
	})
	inside := x.path + ".B"
	for _, y := range s.mem[cell{o, inside}].refs {
		if y.obj.kind == contentObject && y.obj.parent == o && s.status[y.obj].phase == live {
			e.end(s, y.obj, released, g.at, g.deferred)
			s.update(y.obj, func(st *status) { st.rider = true })
		}
	}
	e.clobber(s, o, inside)
	show := func(v value) value {
		shows := func(y ref) bool { return y.obj == o && y.rel == view && y.path == x.path }
		if !slices.ContainsFunc(v.refs, shows) {
			return v
		}
		v.refs = slices.Clone(v.refs)
		for i, y := range v.refs {
			if shows(y) {
				v.refs[i] = ref{obj: array, rel: view, cut: y.cut, old: y.old}
			}
		}
		return v
	}
	for r, v := range s.env {
		s.env[r] = show(v)
	}
	for c, v := range s.mem {
		s.mem[c] = show(v)
	}
	e.end(s, array, released, g.at, g.deferred)
	// Of the places where o was stored, those count that show the array.
	s.update(array, func(st *status) { st.escapes = slices.DeleteFunc(slices.Clone(s.status[o].escapes), anywhere) })
}

// anywhere reports whether it is not known what the place x shows by now.
func anywhere(x escape) bool { return x.cell.obj == nil }
