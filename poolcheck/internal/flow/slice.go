package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// slice returns the value of a slice expression.
func (e *explorer) slice(sh *shape, s *state, i *ssa.Slice) value {
	v := e.value(s, i.X)
	if _, ok := i.X.Type().Underlying().(*types.Basic); ok {
		return v // a string
	}
	moved := false
	if i.Low != nil {
		moved = !isNumber(i.Low, 0) && !e.isLengthOfEmpty(i.Low)
	}
	if p, ok := i.X.Type().Underlying().(*types.Pointer); ok {
		if a, ok := i.X.(*ssa.Alloc); ok && (a.Comment == "makeslice" || a.Comment == "slicelit") {
			moved = false
		} else if _, isArray := p.Elem().Underlying().(*types.Array); isArray {
			// A slice of an array: nobody's to release but the array's owner.
			out := value{refs: make([]ref, 0, len(v.refs))}
			for _, x := range v.refs {
				if a, ok := i.X.(*ssa.Alloc); !ok || a.Comment != "varargs" {
					x.path += "[:]"
				}
				out.refs = append(out.refs, x)
			}
			return out
		}
	}
	out := v
	out.known = known{}
	if v.known.kind == isNil {
		out.known = knownNil
	}
	out.refs = make([]ref, 0, len(v.refs))
	emptied := false
	if k, ok := i.High.(*ssa.Const); ok {
		emptied = k.Int64() == 0
	}
	_, sized := i.Max.(*ssa.Const) // a pool of slices of one size has s[:0:size]
	for _, x := range v.refs {
		if emptied && x.rel == holds {
			continue // no element is left
		}
		if moved && x.rel == whole && isBytes(i.Type()) {
			x.rel = part
		}
		if i.Max != nil && !(emptied && sized) && x.rel == whole && isBytes(i.Type()) {
			x.rel = part
		}
		if i.High != nil || moved {
			x.cut = true
		}
		out.refs = append(out.refs, x)
	}
	return out
}

// isLengthOfEmpty reports whether v is the length of a slice that is cut to nothing, such as
// p[:0], or of a parameter that the caller passes one for.
func (e *explorer) isLengthOfEmpty(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok || !isBuiltinCall(call, "len") {
		return false
	}
	v = call.Call.Args[0]
	for in := e.in; ; in = in.outer {
		p, ok := v.(*ssa.Parameter)
		if !ok || in == nil || in.fn != p.Parent() {
			break
		}
		args, k := arguments(in.instr.Common()), slices.Index(in.fn.Params, p)
		if k >= len(args) {
			return false
		}
		v = args[k]
	}
	return isEmptied(v)
}

// isEmptied reports whether v is a slice that is cut to nothing.
func isEmptied(v ssa.Value) bool {
	cut, ok := v.(*ssa.Slice)
	return ok && cut.High != nil && isNumber(cut.High, 0)
}

func isText(t types.Type) bool {
	if isBytes(t) {
		return true
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// touchText touches r if it is a string or an interface, whose comparison
// reads it.
func (e *explorer) touchText(s *state, r ssa.Value, at place) {
	if b, ok := r.Type().Underlying().(*types.Basic); ok && b.Info()&types.IsString != 0 {
		e.touch(s, e.value(s, r), at)
	}
}
