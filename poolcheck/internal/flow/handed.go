package flow

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// What a method of an interface returns belongs to its caller if a type of the package has the
// method, and hands out memory there, or if the method takes what it returns from somewhere, by its
// name, and callers release it.

// handedOut takes over what the call i of an interface's method, of which nothing is known, or of a
// function that removes what it returns from somewhere, has returned. Where it has failed it has
// returned nothing.
func (e *explorer) handedOut(out []returned, i *ssa.Call) []returned {
	k, source := e.handsOutByContract(&i.Call), types.Object(nil)
	if k >= 0 {
		source = i.Call.Method.Origin()
	} else if k, source = e.removedBy(i); k < 0 {
		return out
	}
	results := i.Call.Signature().Results()
	var all []returned
	for _, r := range out {
		v, o := r.result, e.result(i, k)
		if results.Len() > 1 {
			v = v.sub[strconv.Itoa(k)]
		}
		if v.identity() != o || o.acq != nil {
			all = append(all, r)
			continue
		}
		if last := results.Len() - 1; last != k {
			done := known{}
			switch t := results.At(last).Type(); {
			case isError(t):
				done = knownNil
			case types.Identical(t, types.Typ[types.Bool]):
				done = knownTrue
			}
			if done != (known{}) {
				failed := returned{r.state.copy(), r.result}
				failed.state.known[e.result(i, last)] = done.not()
				failed.state.known[o] = knownNil
				r.state.known[e.result(i, last)] = done
				all = append(all, failed)
			}
		}
		if !o.at.valid() {
			o.at = e.at(i)
		}
		o.typ = results.At(k).Type()
		e.takeOff(r.state, o, source)
		all = append(all, r)
	}
	return all
}

// not returns what is known of an error or boolean if k is not.
func (k known) not() known {
	switch k {
	case knownNil:
		return knownNonNil
	case knownTrue:
		return knownFalse
	}
	return known{}
}

// removers are the functions of the standard library whose first result has been removed from the
// container that is their receiver.
var removers = []string{"(*sync.Map).LoadAndDelete", "(*container/list.List).Remove"}

// removedBy returns which result of the call i was removed from somewhere, and the field or variable
// that it was in, -1 if none was.
func (p *Package) removedBy(i *ssa.Call) (int, types.Object) {
	fn := i.Call.StaticCallee()
	if fn == nil {
		return -1, nil
	}
	if f, ok := fn.Object().(*types.Func); ok && slices.Contains(removers, Name(f)) {
		if field := addressed(i.Call.Args[0]); field != nil {
			return 0, field
		}
		return 0, placeOf(i.Call.Args[0])
	}
	k, f := p.removes(origin(fn))
	if k < 0 || !p.comesBack(i.Call.Signature().Results().At(k).Type()) {
		return -1, nil
	}
	return k, f
}

// removes returns which result of fn, of a generic type, it has taken off a list or out of a field,
// and which that is, -1 if it has taken none. What others return their callers know.
func (p *Package) removes(fn *ssa.Function) (int, types.Object) {
	results := fn.Signature.Results()
	k := slices.IndexFunc(slices.Collect(results.Variables()), func(v *types.Var) bool {
		_, generic := types.Unalias(v.Type()).(*types.TypeParam)
		return generic
	})
	if k < 0 {
		return -1, nil
	}
	for instr := range instructions(fn) {
		st, ok := instr.(*ssa.Store)
		if !ok {
			continue
		}
		f, loads := popped(st)
		if f == nil {
			continue
		}
		for ret := range instructions(fn) {
			if ret, ok := ret.(*ssa.Return); ok && slices.ContainsFunc(loads, func(load *ssa.UnOp) bool { return mayBe(ret.Results[k], load) }) {
				return k, f
			}
		}
	}
	return -1, nil
}

// mayBe reports whether v is x, or is on some path.
func mayBe(v, x ssa.Value) bool {
	phi, ok := v.(*ssa.Phi)
	return v == x || ok && slices.Contains(phi.Edges, x)
}

// asserted takes over what was removed from somewhere as a value of an interface type, if it turns out
// to be of a type that comes back.
func (e *explorer) asserted(s *state, i *ssa.TypeAssert, v value) {
	o := v.identity()
	if o == nil {
		return
	}
	source, ok := e.removed[e.young(o)]
	if !ok || !e.comesBack(i.AssertedType) {
		return
	}
	o.typ = i.AssertedType
	e.takeOff(s, o, source)
}

// handsOutByContract returns which result of the method of an interface that cc calls is memory that
// belongs to the caller, -1 if none is.
func (p *Package) handsOutByContract(cc *ssa.CallCommon) int {
	if !cc.IsInvoke() {
		return -1
	}
	k := slices.IndexFunc(slices.Collect(cc.Signature().Results().Variables()), func(v *types.Var) bool { return p.comesBack(v.Type()) })
	if k < 0 || !takesOutByName(cc.Method.Name()) && !p.implementationHandsOut(cc, k) {
		return -1
	}
	return k
}

// endsByContract applies the call c of a method of an interface if that gives its receiver back, which
// the function has taken over, or gets another reference to it, by the method's name.
func (e *explorer) endsByContract(s *state, c *call) bool {
	if !c.common.IsInvoke() || len(c.args) != 1 {
		return false
	}
	o, name := c.args[0].identity(), c.common.Method.Name()
	switch {
	case o == nil || !o.taken:
		return false
	case takesBackByName(name):
		e.release(s, c.args[0], giving{&api.Func{Family: api.Likely}, "", c.at, c.deferred, staticType(c.regs[0]), e.names.of(bare(c.regs[0]))})
	case slices.Contains([]string{"retain", "ref", "addref", "incref"}, strings.ToLower(name)):
		s.update(o, func(st *status) { st.owners = min(st.owners+1, 8) })
	default:
		return false
	}
	return true
}

// keepsReceiver reports whether the call c of a method of an interface leaves its receiver, which the
// function has taken over, to the function.
func (e *explorer) keepsReceiver(s *state, c *call) bool {
	o := c.args[0].identity()
	return c.common.IsInvoke() && o != nil && o.taken && !isEnd(c.common.Method.Name())
}

// implementationHandsOut reports whether a type of the package implements the method that cc calls,
// and hands out memory as its result k.
func (p *Package) implementationHandsOut(cc *ssa.CallCommon, k int) bool {
	iface, ok := cc.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return false
	}
	method := cc.Method.Origin()
	if known, ok := p.contracts[method]; ok {
		return known
	}
	p.contracts[method] = false // while it is looked at
	for _, t := range p.implementing(iface) {
		if fn := p.method(t, method.Pkg(), method.Name()).fn; fn != nil {
			p.visit(fn)
			sum := p.summary(fn)
			p.contracts[method] = p.contracts[method] || sum != nil && sum.handsOut(k)
		}
	}
	return p.contracts[method]
}
