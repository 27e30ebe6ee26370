package flow

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A field is stable if its struct has it from the start: the package sets it only
// in structs that it has just made, and nobody else can. Code that nobody has seen
// does not change it.

// collectAssigned notes the variables of the package that fn sets, and the fields in structs
// that it has not made.
func (p *Package) collectAssigned(fn *ssa.Function) {
	for instr := range instructions(fn) {
		switch i := instr.(type) {
		case *ssa.Store:
			if madeHere(i.Addr) {
				continue
			}
			switch a := i.Addr.(type) {
			case *ssa.FieldAddr:
				p.assigned[fieldOf(a)] = true
			case *ssa.Global:
				p.assigned[a.Object().(*types.Var)] = true
			}
			p.assignAll(i.Val.Type())
		case *ssa.MapUpdate:
			p.assignAll(i.Value.Type())
		case *ssa.FieldAddr:
			if _, isStruct := elemOfPointer(i.Type()).Underlying().(*types.Struct); !isStruct && !onlyAccessed(i) {
				p.assigned[fieldOf(i)] = true
			}
		}
	}
}

// assignAll notes the fields of t, if it is a struct: all are set at once.
func (p *Package) assignAll(t types.Type) {
	if st, ok := t.Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			if !p.assigned[f.Origin()] {
				p.assigned[f.Origin()] = true
				p.assignAll(f.Type())
			}
		}
	}
}

// madeHere reports whether addr is in a variable or literal of the function.
func madeHere(addr ssa.Value) bool {
	switch a := addr.(type) {
	case *ssa.Alloc:
		return true
	case *ssa.FieldAddr:
		return madeHere(a.X)
	case *ssa.IndexAddr:
		return madeHere(a.X)
	}
	return false
}

// stable reports whether the cell of o at path is a stable field.
func (p *Package) stable(o *object, path string) bool {
	if !strings.HasPrefix(path, ".") || strings.ContainsAny(path, "[#*") || o.typ == nil {
		return false
	}
	t := o.typ
	if ptr, ok := t.Underlying().(*types.Pointer); ok {
		t = ptr.Elem()
	}
	for name := range strings.SplitSeq(path[1:], ".") {
		f := fieldNamed(t, name)
		if f == nil || f.Exported() || f.Pkg() != p.types || p.assigned[f.Origin()] {
			return false
		}
		t = f.Type()
	}
	return true
}

// fieldNamed returns a field of the struct t, nil if there is none.
func fieldNamed(t types.Type, name string) *types.Var {
	if st, ok := t.Underlying().(*types.Struct); ok {
		for f := range st.Fields() {
			if f.Name() == name {
				return f
			}
		}
	}
	return nil
}

// A sentinel is an error variable that no function sets, so that it has its error from the start.

// sentinel returns the sentinel that v was read from, nil if it is something else.
func (p *Package) sentinel(v ssa.Value) *ssa.Global {
	g, ok := loaded(v).(*ssa.Global)
	if !ok || !implementsError(v.Type()) || p.assigned[g.Object().(*types.Var)] {
		return nil
	}
	return g
}
