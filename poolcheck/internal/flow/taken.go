package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// Unknown code of another package may hand out memory that is to be given back, by a method
// of it or by another function of that package. It does if the function gives back the
// result of the same call on some path.

// taken returns what the call i does if it hands out such memory, or takes it back; nil
// for other calls.
func (p *Package) taken(i ssa.CallInstruction) *api.Func {
	if reg, ok := i.(*ssa.Call); ok {
		if row := p.takes(reg); row != nil {
			return row
		}
	}
	if !p.givesBack(i) {
		return nil
	}
	v := i.Common().Args[0]
	reg, ok := v.(*ssa.Call)
	if x, extract := v.(*ssa.Extract); extract && x.Index == 0 {
		reg, ok = x.Tuple.(*ssa.Call)
	}
	if !ok || p.takes(reg) == nil || !beside(v, i) {
		return nil
	}
	return &api.Func{Family: api.Likely, Effects: []api.Effect{{Op: api.Release}}}
}

// takes returns what the call reg does if it hands out memory that the function gives
// back.
func (p *Package) takes(reg *ssa.Call) *api.Func {
	results := reg.Call.Signature().Results()
	if !p.unknown(reg) || results.Len() == 0 || results.Len() > 2 || !releasable(results.At(0).Type()) {
		return nil
	}
	row := &api.Func{Family: api.Likely, Effects: []api.Effect{{Op: api.Acquire}}}
	for k := range reg.Call.Args {
		row.Effects = append(row.Effects, api.Effect{Op: api.Opaque, Arg: k})
	}
	if results.Len() == 1 {
		if p.givenBack(reg) {
			return row
		}
		return nil
	}
	row.Effects = append(row.Effects, api.Effect{Op: api.Fail, Res: 1})
	for _, use := range *reg.Referrers() {
		if x, ok := use.(*ssa.Extract); ok && x.Index == 0 && isError(results.At(1).Type()) && p.givenBack(x) {
			return row
		}
	}
	return nil
}

// givenBack reports whether what gives v back is called, or deferred.
func (p *Package) givenBack(v ssa.Value) bool {
	for _, use := range *v.Referrers() {
		if call, ok := use.(ssa.CallInstruction); ok && p.givesBack(call) && call.Common().Args[0] == v && beside(v, call) {
			return true
		}
	}
	return false
}

// beside reports whether i calls a method, or a function of the package of the one that
// has returned v.
func beside(v ssa.Value, i ssa.CallInstruction) bool {
	if i.Common().Signature().Recv() != nil {
		return true
	}
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	from, ok := v.(*ssa.Call)
	return ok && from.Call.StaticCallee().Object().Pkg() == i.Common().StaticCallee().Object().Pkg()
}

// givesBack reports whether i calls a method or function, of which nothing else is known,
// that takes its receiver, or only argument, back.
func (p *Package) givesBack(i ssa.CallInstruction) bool {
	sig := i.Common().Signature()
	_, started := i.(*ssa.Go)
	return !started && p.unknown(i) && len(i.Common().Args) == 1 && !sig.Variadic() && sig.Results().Len() == 0 &&
		verb(calleeName(i), giveBack) != ""
}

// unknown reports whether i calls a function of another package of which nothing is known.
func (p *Package) unknown(i ssa.CallInstruction) bool {
	fn := i.Common().StaticCallee()
	if fn == nil || len(fn.Blocks) > 0 {
		return false
	}
	f, ok := fn.Object().(*types.Func)
	return ok && f.Pkg() != nil && f.Pkg() != p.types && !api.Standard(f.Pkg().Path()) && !p.packages[f.Pkg().Path()] &&
		p.annotated(f, i.Common()) == nil && p.row(f) == nil && p.imported(f) == nil
}

// releasable reports whether t is bytes, or points to a struct that holds some, and is given
// back once: it counts no references.
func releasable(t types.Type) bool {
	if isBytes(t) {
		return true
	}
	elem := elemOfPointer(t)
	if elem == nil || !HoldsBytes(elem) {
		return false
	}
	if _, ok := elem.Underlying().(*types.Struct); !ok {
		return false
	}
	for _, m := range methods(elem) {
		if verb(m.Name(), []string{"retain", "ref", "addref", "incref", "acquire", "hold"}) != "" {
			return false
		}
	}
	return true
}
