package contract

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// call runs a call. Its result goes into reg, which is nil if the call is deferred.
func (r *run) call(s *domain.State, reg *ssa.Call, c *ssa.CallCommon, fun domain.Value, args []domain.Value) []*domain.State {
	at := r.at(reg)
	if b, ok := c.Value.(*ssa.Builtin); ok {
		r.setResults(s, reg, []domain.Value{r.builtin(s, b.Name(), at, c, args)})
		return []*domain.State{s}
	}
	r.setResults(s, reg, nil)
	if lit, bound := literal(s, c, fun); lit != nil && r.fits(lit) {
		return r.inline(s, reg, lit, bound, args)
	}
	if f := ir.Declared(c); f != nil && c.IsInvoke() && ir.Releasing(f.Name()) && slices.ContainsFunc(args[0].Refs, owned) {
		r.lose(s, args[0])
		return []*domain.State{s}
	}
	if row := r.p.row(c); row != nil {
		states := r.apply(s, reg, c, row, args)
		for _, t := range states {
			r.blame(t, reg, c, args)
		}
		return states
	}
	if fn := ir.Callee(c); fn != nil && r.disown(s, fn, at, args) {
		return []*domain.State{s}
	}
	if fn := ir.Callee(c); fn != nil && len(fn.Blocks) > 0 && fn.Parent() == nil && r.worth(s, fn, args) {
		if states, ok := r.applySummary(s, reg, fn, args); ok {
			return states
		}
	}
	r.unknown(s, at, c, args)
	r.blame(s, reg, c, args)
	return []*domain.State{s}
}

// disown runs fn if it releases what fields of its receiver have, a struct that the function has made. It
// reports whether it does.
func (r *run) disown(s *domain.State, fn *ssa.Function, at ssa.Instruction, args []domain.Value) bool {
	fields, ok := r.p.owners[fn]
	if !ok {
		return false
	}
	ref, ok := args[0].Single()
	if ok && ref.Obj.Family == api.Owner && ref.Rel == domain.Whole {
		r.release(s, args[0], at)
		return true
	}
	if !ok || ref.Obj.Kind != domain.Local {
		return false
	}
	for _, path := range fields {
		c := domain.Cell{Obj: ref.Obj, Path: ref.Path + path}
		if held, ok := s.Mem.Get(c).Single(); ok && held.Obj.Kind == domain.Acquired && held.Rel <= domain.Part {
			r.release(s, s.Mem.Get(c), at)
			s.Mem.Set(c, domain.Value{Fact: domain.Nil})
		} else if _, known := s.Mem.Lookup(c); !known { // a struct that was assigned as a whole
			r.lose(s, args[0])
		}
	}
	return true
}

// blame says of an error that a call returns that what it was called on, or asked to fill, has failed.
func (r *run) blame(s *domain.State, reg *ssa.Call, c *ssa.CallCommon, args []domain.Value) {
	f := ir.Declared(c)
	if reg == nil || f == nil {
		return
	}
	results := f.Signature().Results()
	n := results.Len()
	if n == 0 || !ir.IsError(results.At(n-1).Type()) {
		return
	}
	for k, arg := range ir.Args(c) {
		target, ok := arg.Type().Underlying().(*types.Interface)
		filled := ok && target.Empty() || k == 0 && f.Signature().Recv() != nil
		ref, ok := args[k].Single()
		if !filled || !ok || ref.Obj.Kind != domain.Acquired || ref.Rel != domain.Whole {
			continue
		}
		fault := domain.Value{Refs: []domain.Ref{{Obj: ref.Obj, Rel: domain.Fault}}}
		if n == 1 {
			fault.Fact = s.Env.Get(reg).Fact
			set(s, reg, fault)
			return
		}
		for _, use := range *reg.Referrers() {
			if e, ok := use.(*ssa.Extract); ok && e.Index == n-1 {
				fault.Fact = s.Env.Get(e).Fact
				set(s, e, fault)
			}
		}
		return
	}
}

// at returns the instruction that reg is, or else the deferred call or go statement that runs.
func (r *run) at(reg *ssa.Call) ssa.Instruction {
	if reg != nil {
		return reg
	}
	return r.deferred
}

// literal returns the function literal that c calls, and what it captures.
func literal(s *domain.State, c *ssa.CallCommon, fun domain.Value) (fn *ssa.Function, bound []domain.Value) {
	if fn := c.StaticCallee(); fn != nil && fn.Parent() != nil && len(fn.FreeVars) == 0 {
		return fn, nil
	}
	ref, ok := fun.Single()
	if !ok || c.IsInvoke() {
		return nil, nil
	}
	if fn = closure(ref.Obj); fn != nil {
		bound = captured(s, ref.Obj, fn)
	}
	return fn, bound
}

// captured returns what the literal o, which is fn, captures.
func captured(s *domain.State, o *domain.Object, fn *ssa.Function) []domain.Value {
	var bound []domain.Value
	for k := range fn.FreeVars {
		bound = append(bound, s.Mem.Get(domain.Cell{Obj: o, Path: "." + strconv.Itoa(k)}))
	}
	return bound
}

// fits reports whether fn may run inside of what runs.
func (r *run) fits(fn *ssa.Function) bool {
	if len(r.running) > maxDepth || len(fn.Blocks) == 0 || len(fn.Blocks) > maxBlocks/4 || fn.Synthetic != "" {
		return false
	}
	return !slices.Contains(r.running, fn)
}

// inline runs the body of a literal.
func (r *run) inline(s *domain.State, reg *ssa.Call, fn *ssa.Function, bound, args []domain.Value) []*domain.State {
	for k, fv := range fn.FreeVars {
		set(s, fv, bound[k])
	}
	outer := r.deferred
	var states []*domain.State
	for _, x := range r.body(fn, args, s) {
		r.deferred = outer
		r.setResults(x.State, reg, x.Results)
		states = append(states, x.State)
	}
	return distinct(states)
}

// try runs a literal on a copy of s, and returns how it ends.
func (r *run) try(s *domain.State, fn *ssa.Function, bound, args []domain.Value) []*domain.State {
	r.mute++
	dirty := r.dirty
	states := r.inline(s.Copy(), nil, fn, bound, args)
	r.dirty = dirty
	r.mute--
	return states
}

// setResults gives reg its results, of which those that are missing are not known.
func (r *run) setResults(s *domain.State, reg *ssa.Call, results []domain.Value) {
	if reg == nil {
		return
	}
	result := func(k int) domain.Value {
		if k < len(results) {
			return results[k]
		}
		return domain.Value{}
	}
	if reg.Call.Signature().Results().Len() == 1 || len(results) == 1 {
		set(s, reg, result(0))
		return
	}
	for _, use := range *reg.Referrers() {
		if e, ok := use.(*ssa.Extract); ok {
			set(s, e, result(e.Index))
		}
	}
}

// worth reports whether it matters what fn does: whether it, or the memory that it is given, has to do
// with pools.
func (r *run) worth(s *domain.State, fn *ssa.Function, args []domain.Value) bool {
	if r.p.pooling[fn] {
		return true
	}
	for _, v := range args {
		for _, o := range s.Reach(v) {
			if o.Kind == domain.Acquired || s.Life.Get(o).Phase != domain.Live || o.Kind == domain.Loaded {
				return true
			}
			if o.Param >= 0 && len(fn.Blocks) <= smallHelper {
				return true
			}
		}
	}
	return false
}

// smallHelper is how many blocks a function has at most that is asked what it does with parameters of
// its caller, although neither is known to have to do with pools.
const smallHelper = 12

// unknown calls code of which nothing is known but where it is from.
func (r *run) unknown(s *domain.State, at ssa.Instruction, c *ssa.CallCommon, args []domain.Value) {
	f := ir.Declared(c)
	if f != nil && f.Pkg() != nil && (api.Standard(f.Pkg().Path()) || r.p.poolPackages[f.Pkg().Path()]) || f != nil && f.Pkg() == nil {
		r.borrow(s, at, c, args)
		return
	}
	var key any = c.Value
	if f != nil {
		key = f
	} else if pool := ir.Pool(c.Value); pool != nil {
		key = pool
	}
	for k, v := range args {
		ref, single := v.Single()
		receiver := k == 0 && f != nil && f.Signature().Recv() != nil
		switch {
		case single && ref.Rel <= domain.Part && returns(c, ir.Args(c)[k].Type()):
			r.use(s, v, at)
			r.lose(s, v)
		case receiver && !c.IsInvoke() && !ir.Releasing(f.Name()) && !(single && ref.Obj.Kind == domain.Local):
			r.use(s, v, at)
		default:
			r.lend(s, v, key, at)
		}
	}
	if f == nil || c.IsInvoke() {
		r.clobber(s)
		return
	}
	for _, v := range args {
		r.overwrite(s, v)
	}
}

// returns reports whether a result of c may be its argument of type t.
func returns(c *ssa.CallCommon, t types.Type) bool {
	for v := range c.Signature().Results().Variables() {
		if types.Identical(v.Type(), t) {
			return true
		}
	}
	return false
}

// owned reports whether ref leads to a struct of the package that may release what it has.
func owned(ref domain.Ref) bool {
	return ref.Rel == domain.Inside || ref.Obj.Kind == domain.Local || ref.Obj.Family == api.Owner
}

// borrow calls a function that keeps nothing. A function that it is given it may call.
func (r *run) borrow(s *domain.State, at ssa.Instruction, c *ssa.CallCommon, args []domain.Value) {
	if f := ir.Declared(c); f != nil && (strings.HasSuffix(f.Name(), "Lock") || f.Pkg() != nil && f.Pkg().Path() == "sync") {
		r.clobber(s)
	}
	for _, v := range args {
		r.useAll(s, v, at)
		r.mayCall(s, v)
	}
}

// mayCall says nothing more of what the literal v, which may run or not, would release or assign to.
func (r *run) mayCall(s *domain.State, v domain.Value) {
	for _, ref := range v.Refs {
		fn := closure(ref.Obj)
		if fn == nil {
			continue
		}
		bound := captured(s, ref.Obj, fn)
		r.mayRun(s, ref.Obj, fn)
		for k, b := range bound {
			if held, ok := b.Single(); ok && held.Obj.Kind == domain.Local && assigned(fn.FreeVars[k]) {
				for _, c := range cells(s, held.Obj) {
					r.lose(s, s.Mem.Get(c)) // the variable may have it still
					s.Mem.Delete(c)
				}
			}
		}
	}
}

// mayRun says nothing more of what the literal o, which is fn, would release or give away.
func (r *run) mayRun(s *domain.State, o *domain.Object, fn *ssa.Function) {
	reached := s.Reach(domain.Of(o))
	if r.mute > 0 || !r.fits(fn) {
		for _, x := range reached {
			s.Life.Set(x, domain.Life{Phase: domain.Gone})
		}
		return
	}
	for _, t := range r.try(s, fn, captured(s, o, fn), make([]domain.Value, len(fn.Params))) {
		for _, x := range reached {
			if m, l := t.Life.Get(x), s.Life.Get(x); m.Phase != l.Phase || m.Escaped != l.Escaped || m.Extra != l.Extra {
				s.Life.Set(x, domain.Life{Phase: domain.Gone})
			}
		}
	}
}

// builtin calls a function of the language and returns its result.
func (r *run) builtin(s *domain.State, name string, at ssa.Instruction, c *ssa.CallCommon, args []domain.Value) domain.Value {
	switch name {
	case "append":
		return r.grow(s, at, c, args)
	case "copy":
		r.use(s, args[0], at)
		r.use(s, args[1], at)
	case "clear":
		r.use(s, args[0], at)
	case "ssa:wrapnilchk":
		return args[0]
	case "SliceData", "String", "StringData", "Slice", "Add":
		return args[0].As(domain.View)
	}
	return domain.Value{}
}

// grow appends to args[0].
func (r *run) grow(s *domain.State, at ssa.Instruction, c *ssa.CallCommon, args []domain.Value) domain.Value {
	list := args[0]
	r.use(s, list, at)
	if len(args) > 1 {
		if t := elem(c); ir.Carries(t) || ir.IsError(t) {
			for _, ref := range args[1].Refs {
				if ref.Obj.Kind != domain.Local {
					r.use(s, args[1], at)
				}
			}
			r.escape(s, args[1], at) // into the list
		} else {
			r.use(s, args[1], at)
		}
	}
	ref, ok := list.Single()
	if !ok || ref.Rel > domain.Part {
		if ok && s.Life.Get(ref.Obj).Weighed { // it knows whether the content moves
			return domain.Value{}
		}
		return domain.Value{Refs: list.Refs}
	}
	r.outdate(s, ref, at)
	ref.Old = false
	return domain.Value{Refs: []domain.Ref{ref}, Fact: domain.NonNil}
}

// outdate says of the slices that ref shows that at may have moved their content.
func (r *run) outdate(s *domain.State, ref domain.Ref, at ssa.Instruction) {
	old := func(v domain.Value) domain.Value {
		refs := slices.Clone(v.Refs)
		for i, x := range refs {
			refs[i].Old = x.Old || x.Obj == ref.Obj && x.Rel <= domain.Part && x.Path == ref.Path
		}
		return domain.Value{Refs: refs, Fact: v.Fact}
	}
	for v, w := range s.Env.All() {
		if w.Mentions(ref.Obj) {
			s.Env.Set(v, old(w))
		}
	}
	s.Update(ref.Obj, func(l *domain.Life) { l.Grown = at })
}

// spawn starts a goroutine that calls the literal fn, which captures bound, or callee, which is nil if it is
// not known.
func (r *run) spawn(s *domain.State, at ssa.Instruction, fn, callee *ssa.Function, bound, args []domain.Value, given domain.Value) {
	reached := s.Reach(given)
	var ends []*domain.State
	known := false
	dirty := r.dirty
	switch {
	case fn != nil && r.fits(fn):
		ends, known = r.inline(s.Copy(), nil, fn, bound, args), true
	case fn == nil && callee != nil:
		outer := r.deferred
		r.deferred = at
		ends, known = r.applySummary(s.Copy(), nil, callee, args)
		r.deferred = outer
	}
	r.dirty = dirty
	if !known {
		r.send(s, given, at)
		return
	}
	for _, o := range reached {
		l := s.Life.Get(o)
		given := slices.ContainsFunc(ends, func(t *domain.State) bool {
			m := t.Life.Get(o)
			return m.Phase != l.Phase || m.Escaped != l.Escaped || m.Extra != l.Extra || m.Loans != l.Loans
		})
		if o.Kind != domain.Local && given { // when the goroutine does that is not known
			s.Life.Set(o, domain.Life{Phase: domain.Gone})
		}
	}
}

// elem returns the type of the elements that c appends.
func elem(c *ssa.CallCommon) types.Type {
	if list, ok := c.Args[0].Type().Underlying().(*types.Slice); ok {
		return list.Elem()
	}
	return types.Typ[types.Byte]
}
