package ir

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Pool returns the variable or field that v, a pool or a pointer to one, is read from; nil if that
// is not known. Fields that are pointers may show the same pool.
func Pool(v ssa.Value) types.Object {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		if _, pointer := Field(v).Type().Underlying().(*types.Pointer); !pointer {
			return Field(v)
		}
	case *ssa.Field:
		return v.X.Type().Underlying().(*types.Struct).Field(v.Field)
	case *ssa.Global:
		return v.Object()
	case *ssa.UnOp:
		return Pool(v.X)
	case *ssa.IndexAddr:
		return Pool(v.X)
	case *ssa.ChangeType:
		return Pool(v.X)
	case *ssa.MakeInterface:
		return Pool(v.X)
	}
	return nil
}

// Origin returns the parameter that v is, or is read out of, and by which path of fields; nil if it is
// none.
func Origin(v ssa.Value) (param *ssa.Parameter, path string) {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		case *ssa.Slice:
			v = x.X
		case *ssa.SliceToArrayPointer:
			v = x.X
		case *ssa.UnOp:
			v = x.X
		case *ssa.FieldAddr:
			path = "." + Field(x).Name() + path
			v = x.X
		case *ssa.Alloc: // a variable
			v = nil
			for _, use := range *x.Referrers() {
				if st, ok := use.(*ssa.Store); ok && st.Addr == x {
					v = st.Val
				}
			}
			if _, ok := v.(*ssa.Parameter); !ok {
				return nil, ""
			}
		case *ssa.Parameter:
			return x, path
		default:
			return nil, ""
		}
	}
}
