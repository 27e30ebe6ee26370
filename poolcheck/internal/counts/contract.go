package counts

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A Contract is what a function does to references that are not its own.
type Contract struct {
	Params  []Effect // of the receiver and the parameters
	Results []Result
	// Empty is 1 plus the index of a result that says if it is true that the others own nothing,
	// and 0 if there is none. A result that says so if it is false needs no mention.
	Empty int
}

// An Effect is what a function does to an argument, or to each element of one that is a list.
type Effect struct {
	N      int8 // references that the caller has more, or less
	Unsure bool // N is not known
	// Released says that a reference less is one that was released, and not one that
	// somebody else has now.
	Released bool
}

// A Result says to whom a reference to a result belongs. Above Owned, Argument plus i is the i-th
// argument itself.
type Result uint8

const (
	Borrowed Result = iota // to somebody else, as far as is known
	Owned                  // to the caller
	Argument
)

// contract learns what fn promises, nil if that is not known.
func (p *Package) contract(fn *ssa.Function) *Contract {
	if c, ok := p.contracts[fn]; ok {
		return c
	}
	if p.busy[fn] || len(fn.Blocks) == 0 {
		return nil
	}
	p.busy[fn] = true
	r := newRunner(p, fn)
	c := r.learnContract()
	delete(p.busy, fn)
	p.contracts[fn] = c
	p.reports[fn] = r.reports()
	return c
}

// contractOf returns what the function that c calls promises, nil if that is not known.
func (p *Package) contractOf(c *ssa.CallCommon) *Contract {
	if c.IsInvoke() {
		return p.contractOfMethod(c)
	}
	fn := c.StaticCallee()
	if fn == nil {
		return nil
	}
	if origin := fn.Origin(); origin != nil {
		fn = origin
	}
	obj, _ := fn.Object().(*types.Func)
	switch {
	case obj != nil && verbOf(obj) != other && p.isCounted(obj.Signature().Recv().Type()):
		return p.byName(obj)
	case fn.Synthetic == "" && len(fn.Blocks) > 0:
		if !p.signatureCounts(fn.Signature) {
			return &Contract{Params: ofOthers(fn.Signature)}
		}
		return p.contract(fn)
	case obj == nil || obj.Pkg() == nil:
		return nil
	case borrows[obj.Pkg().Path()]:
		return &Contract{}
	case api.Standard(obj.Pkg().Path()):
		return &Contract{Params: ofOthers(fn.Signature)}
	}
	if known := p.imported(obj); known != nil {
		return known
	}
	return p.byName(obj)
}

// borrows has packages of the standard library whose functions keep nothing that they are given.
var borrows = map[string]bool{"fmt": true, "log": true, "log/slog": true, "errors": true, "slices": true, "sort": true, "testing": true}

// ofOthers returns what a function with the signature sig, which does not know that there are counted
// values, may do to its arguments: keep those that come as something else.
func ofOthers(sig *types.Signature) []Effect {
	var effects []Effect
	if sig.Recv() != nil {
		effects = append(effects, Effect{})
	}
	for v := range sig.Params().Variables() {
		effects = append(effects, Effect{Unsure: hides(v.Type())})
	}
	return effects
}

// hides reports whether values of type t may be counted ones that t does not show.
func hides(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface: // of a type parameter, too
		return true
	case *types.Slice:
		return hides(u.Elem())
	case *types.Pointer:
		_, parameter := u.Elem().(*types.TypeParam)
		return parameter
	}
	return false
}

// byName returns what a method does to its receiver by its name. What it does with arguments is
// not known, unless there are none.
func (p *Package) byName(f *types.Func) *Contract {
	sig := f.Signature()
	if sig.Recv() == nil {
		return nil
	}
	c := &Contract{Params: []Effect{{}}}
	switch v := verbOf(f); {
	case v != other && p.isCounted(sig.Recv().Type()):
		c.Params[0] = Effect{N: int8(v), Released: v == release}
	case ends[f.Name()]:
		c.Params[0].Unsure = true
	}
	for range sig.Params().Len() {
		c.Params = append(c.Params, Effect{Unsure: true})
	}
	return c
}

// ends has names of methods that may take a reference to their receiver back.
var ends = map[string]bool{"Close": true, "Free": true, "Put": true, "Recycle": true, "Destroy": true, "Dispose": true, "Done": true}

// contractOfMethod returns what the method of an interface promises by its name, or by the
// implementations in the package.
func (p *Package) contractOfMethod(c *ssa.CallCommon) *Contract {
	if verbOf(c.Method) != other {
		return p.byName(c.Method)
	}
	iface, ok := c.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return p.byName(c.Method)
	}
	k := method{iface, c.Method}
	known, ok := p.methods[k]
	if !ok {
		known = p.byName(c.Method)
		p.methods[k] = known // while it is looked for
		if all := p.implemented(iface, c.Method); all != nil {
			known = all
		}
		p.methods[k] = known
	}
	return known
}

// implemented returns what all implementations of the method f of iface in the package promise, nil
// if there are none, or what one of them does is not known.
func (p *Package) implemented(iface *types.Interface, f *types.Func) *Contract {
	var all *Contract
	for _, t := range p.named {
		if !types.Implements(t, iface) {
			continue
		}
		sel := types.NewMethodSet(t).Lookup(f.Pkg(), f.Name())
		fn := p.prog.FuncValue(sel.Obj().(*types.Func))
		if fn == nil || len(fn.Blocks) == 0 {
			return nil
		}
		one := p.contract(fn)
		if one == nil {
			return nil
		}
		all = merge(all, one)
	}
	return all
}

// merge returns what both a and b promise. a may be nil, for no promise yet.
func merge(a, b *Contract) *Contract {
	if a == nil {
		return b
	}
	m := &Contract{Empty: a.Empty}
	for i := range max(len(a.Params), len(b.Params)) {
		x, y := a.param(i), b.param(i)
		if x.N != y.N {
			x.Unsure = true
		}
		m.Params = append(m.Params, Effect{x.N, x.Unsure || y.Unsure, x.Released && y.Released})
	}
	for i := range max(len(a.Results), len(b.Results)) {
		same := a.result(i)
		if same != b.result(i) || same == Owned && a.Empty != b.Empty {
			same = Borrowed
		}
		m.Results = append(m.Results, same)
	}
	return m
}

func (c *Contract) param(i int) Effect {
	if i < len(c.Params) {
		return c.Params[i]
	}
	return Effect{}
}

func (c *Contract) result(i int) Result {
	if i < len(c.Results) {
		return c.Results[i]
	}
	return Borrowed
}

// learnContract follows the paths of the function. It returns what all of them promise, nil if
// there are too many of them.
func (r *runner) learnContract() *Contract {
	s := newState()
	for _, param := range r.fn.Params {
		v := value{first: param}
		if r.follows(param.Type()) {
			v.thing = r.thing(param, 0, r.isList(param.Type()))
			s.holdings[v.thing] = holding{}
		}
		s.registers[param] = v
	}
	exits := r.run(r.fn, s)
	if r.tooMany {
		r.lost, r.again = nil, nil
		return nil
	}
	c := &Contract{}
	for _, param := range r.fn.Params {
		if r.follows(param.Type()) {
			c.Params = append(c.Params, r.effectOn(r.thing(param, 0, false), exits))
		} else {
			c.Params = append(c.Params, Effect{Unsure: hides(param.Type())})
		}
	}
	for i := range r.fn.Signature.Results().Len() {
		c.Results = append(c.Results, r.resultOf(i, exits))
	}
	for i := range r.fn.Signature.Results().Len() {
		if tells(i, exits) {
			c.Empty = i + 1
		}
	}
	for _, x := range exits {
		r.leave(x)
	}
	return c
}

// tells reports whether result i is true on some path, which gives its caller no reference then, and
// false on those that give one.
func tells(i int, exits []exit) bool {
	empty := false
	for _, x := range exits {
		owned := slices.Contains(x.owned, true)
		switch x.results[i].known {
		case isTrue:
			empty = true
			if owned {
				return false
			}
		case isFalse:
		default:
			if owned {
				return false
			}
		}
	}
	return empty
}

// effectOn returns what all paths do to the references to t, a parameter.
func (r *runner) effectOn(t *thing, exits []exit) Effect {
	e := Effect{Released: true}
	first := true
	for _, x := range exits {
		h := x.state.holdings[t]
		if h.void {
			continue
		}
		if h.unsure || !first && h.n != e.N {
			e.Unsure = true
		}
		if first {
			e.N, first = h.n, false
		}
		e.Released = e.Released && h.released != nil
	}
	e.Released = e.Released && e.N == -1
	if e.N < -1 || e.N > 1 {
		e.Unsure = true
	}
	return e
}

// resultOf returns to whom a reference to result i belongs on all paths.
func (r *runner) resultOf(i int, exits []exit) Result {
	all := make(map[Result]bool)
	for _, x := range exits {
		switch v := x.results[i]; {
		case x.state.nilness(v) == isNil:
		case x.owned[i]:
			all[Owned] = true
		case v.thing != nil && !v.element && isParameter(v.thing):
			all[Argument+Result(slices.Index(r.fn.Params, v.thing.site.(*ssa.Parameter)))] = true
		case !r.failed(x):
			all[Borrowed] = true
		}
	}
	if len(all) == 1 {
		for result := range all {
			return result
		}
	}
	return Borrowed
}
