package contract

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// Call runs a call: of a method that may release, of what a row or a comment describes, of a function of the
// package, or of unknown code.
func (r *run) Call(s *domain.State, reg *ssa.Call, c *ssa.CallCommon, args []domain.Value) []*domain.State {
	at := r.At(reg)
	if r.p.waits(c) {
		r.Wait(s)
	}
	if row := r.p.row(c); row != nil {
		states := r.apply(s, reg, c, row, args)
		for _, t := range states {
			r.blamesReceiver(t, reg, c, args)
		}
		return states
	}
	if fn := ir.Callee(c); fn != nil {
		r.releasesAgain(s, fn, at, args)
		if r.releasesFields(s, fn, at, args) {
			return []*domain.State{s}
		}
	}
	if fn := ir.Callee(c); fn != nil && len(fn.Blocks) > 0 && fn.Parent() == nil && r.worth(s, fn, args) {
		if states, ok := r.applySummary(s, reg, fn, args); ok {
			return states
		}
	}
	r.unknown(s, at, c, args)
	r.blamesReceiver(s, reg, c, args)
	return []*domain.State{s}
}

// releasesFields runs fn if it releases what fields of its receiver have, a struct that the function has made. It
// reports whether it does.
//
// Fixtures: oct004/owners.go, alike/closed.go.
func (r *run) releasesFields(s *domain.State, fn *ssa.Function, at ssa.Instruction, args []domain.Value) bool {
	fields, ok := r.p.owners[fn]
	if !ok {
		return false
	}
	ref, ok := args[0].Single()
	if ok && ref.Obj.Family == api.Owner && ref.Rel == domain.Whole {
		r.Release(s, args[0], at)
		return true
	}
	if !ok || ref.Obj.Kind != domain.Local {
		return false
	}
	for _, path := range fields {
		c := domain.Cell{Obj: ref.Obj, Path: ref.Path + path}
		if held, ok := s.Mem.Get(c).Single(); ok && held.Obj.Kind == domain.Acquired && held.Rel <= domain.Part {
			r.Release(s, s.Mem.Get(c), at)
			s.Mem.Set(c, domain.Value{Fact: domain.Nil})
		} else if _, known := s.Mem.Lookup(c); !known { // a struct that was assigned as a whole
			r.Lose(s, args[0])
		}
	}
	return true
}

// releasesAgain finds a method of a struct that the function has made, or been given, which may release what a deferred call
// releases in any case.
//
// Fixture: oct003/lender.go.
func (r *run) releasesAgain(s *domain.State, fn *ssa.Function, at ssa.Instruction, args []domain.Value) {
	for _, path := range r.p.perhaps[fn] {
		ref, ok := args[0].Single()
		held, has := s.Mem.Get(domain.Cell{Obj: ref.Obj, Path: ref.Path + path}).Single()
		if !ok || !has || held.Obj.Kind != domain.Acquired {
			continue
		}
		for _, d := range s.Defers {
			if r.p.given(&d.Instr.Call) != nil && slices.ContainsFunc(d.Args, func(v domain.Value) bool { return v.Mentions(held.Obj) }) {
				r.Twice(held, d.Instr, at)
			}
		}
	}
}

// blamesReceiver says of an error that a call returns that what it was called on, or asked to fill, has failed.
//
// Fixtures: alike/undecided.go, oct004/setting.go.
func (r *run) blamesReceiver(s *domain.State, reg *ssa.Call, c *ssa.CallCommon, args []domain.Value) {
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
		if !filled || !ok || ref.Obj.Kind != domain.Acquired || ref.Rel != domain.Whole || admitted(ref.Obj) {
			continue
		}
		fault := domain.Value{Refs: []domain.Ref{{Obj: ref.Obj, Rel: domain.Fault}}}
		if n == 1 {
			fault.Fact = s.Env.Get(reg).Fact
			paths.Set(s, reg, fault)
			return
		}
		for _, use := range *reg.Referrers() {
			if e, ok := use.(*ssa.Extract); ok && e.Index == n-1 {
				fault.Fact = s.Env.Get(e).Fact
				paths.Set(s, e, fault)
			}
		}
		return
	}
}

// admitted reports whether o was had from a pool that may refuse, because it counts what is in use. What o
// does may be refused then, too, and it must be released for others to be served.
//
// Fixture: oct004/admitted.go.
func admitted(o *domain.Object) bool { return o.Fails != nil && o.Family.Counted }

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
		if mayReturn(c, k, v) {
			r.Use(s, v, at)
			r.Lose(s, v)
		} else {
			r.Lend(s, v, key, at)
		}
	}
	if f == nil || c.IsInvoke() {
		r.Clobber(s)
		return
	}
	for _, v := range args {
		r.Overwrite(s, v)
	}
}

// borrow calls a function that keeps nothing. A function that it is given it may call.
func (r *run) borrow(s *domain.State, at ssa.Instruction, c *ssa.CallCommon, args []domain.Value) {
	if f := ir.Declared(c); f != nil && (strings.HasSuffix(f.Name(), "Lock") || f.Pkg() != nil && f.Pkg().Path() == "sync") {
		r.Clobber(s)
	}
	for _, v := range args {
		r.UseAll(s, v, at)
		r.MayCall(s, v)
	}
}

// Spawn starts a goroutine that calls the literal fn, which captures bound, or callee, which is nil if it is
// not known.
func (r *run) Spawn(s *domain.State, at ssa.Instruction, fn, callee *ssa.Function, bound, args []domain.Value, given domain.Value) {
	reached := s.Reach(given)
	var ends []*domain.State
	known := false
	dirty, used := r.Dirty, r.Used
	r.Used = make(map[*domain.Object]bool)
	switch {
	case fn != nil && r.Fits(fn):
		ends, known = r.Inline(s.Copy(), nil, fn, bound, args), true
	case fn == nil && callee != nil:
		outer := r.Deferred
		r.Deferred = at
		ends, known = r.applySummary(s.Copy(), nil, callee, args)
		r.Deferred = outer
	}
	inside := r.Used
	r.Dirty, r.Used = dirty, used
	maps.Copy(used, inside)
	if !known {
		r.Send(s, given, at)
		return
	}
	r.LoseChanged(s, reached, ends)
	r.Hand(s, slices.DeleteFunc(reached, func(o *domain.Object) bool { return !inside[o] }), at)
}
