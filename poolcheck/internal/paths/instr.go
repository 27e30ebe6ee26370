package paths

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// instr runs an instruction in s, and returns the states that come of it.
func (r *Run) instr(s *domain.State, i ssa.Instruction) []*domain.State {
	switch i := i.(type) {
	case *ssa.Call:
		return r.call(s, i, &i.Call, r.Value(s, i.Call.Value), r.Values(s, ir.Args(&i.Call)))
	case *ssa.Go:
		given, args := r.Value(s, i.Call.Value), r.Values(s, ir.Args(&i.Call))
		fn, bound := literal(s, &i.Call, given)
		for _, v := range args {
			given = given.Join(v)
		}
		r.Spawn(s, i, fn, ir.Callee(&i.Call), bound, args, given)
	case *ssa.Defer:
		r.deferCall(s, i)
	case *ssa.RunDefers:
		return r.runDefers(s)
	case *ssa.Store:
		if !r.copyStruct(s, i) {
			r.store(s, i, r.Value(s, i.Addr), r.Value(s, i.Val))
		}
	case *ssa.MapUpdate:
		r.Keep(s, r.Value(s, i.Key), i)
		r.Keep(s, r.Value(s, i.Value), i)
	case *ssa.Send:
		r.Wait(s) // until somebody is there to receive
		r.Send(s, r.Value(s, i.X), i)
	case *ssa.Select:
		return r.choose(s, i)
	case *ssa.Panic:
		return nil
	case *ssa.Extract:
		if _, ok := i.Tuple.(*ssa.TypeAssert); ok && i.Index == 0 {
			Set(s, i, r.Value(s, i.Tuple))
		} else if !ok {
			break // the tuple has set it
		}
	case ssa.Value:
		Set(s, i, r.compute(s, i))
	}
	return []*domain.State{s}
}

// compute returns the value of an instruction that has no other effect.
func (r *Run) compute(s *domain.State, i ssa.Value) domain.Value {
	switch i := i.(type) {
	case *ssa.Alloc:
		return r.alloc(s, i)
	case *ssa.MakeClosure:
		o := r.Object(i, -1, domain.Local)
		s.Life.Set(o, domain.Life{})
		for k, b := range i.Bindings {
			if i.Fn.(*ssa.Function).Synthetic != "" { // a method value
				r.Escape(s, r.Value(s, b), i)
			}
			s.Mem.Set(domain.Cell{Obj: o, Path: "." + strconv.Itoa(k)}, r.Value(s, b))
		}
		v := domain.Of(o)
		v.Fact = domain.NonNil
		return v
	case *ssa.MakeSlice, *ssa.MakeMap, *ssa.MakeChan:
		return domain.Value{Fact: domain.NonNil}
	case *ssa.MakeInterface:
		v := r.Value(s, i.X)
		if ref, ok := v.Single(); ok && ref.Obj.Kind == domain.Local && r.Pools(i.X.Type()) {
			for _, c := range Cells(s, ref.Obj) {
				r.Lose(s, s.Mem.Get(c)) // who is given the interface may release it by a method
			}
		}
		if it, ok := i.Type().Underlying().(*types.Interface); ok && it.NumMethods() > 0 && passed(i) && r.Pools(i.X.Type()) {
			for _, ref := range v.Refs { // nor is it the function's alone
				s.Update(ref.Obj, func(l *domain.Life) { l.Escaped = true })
			}
		}
		if v.Fact = domain.NonNil; !ir.Carries(i.X.Type()) {
			v.Refs = nil
		}
		return v
	case *ssa.ChangeType:
		return r.Value(s, i.X)
	case *ssa.ChangeInterface:
		return r.Value(s, i.X)
	case *ssa.SliceToArrayPointer:
		return r.Value(s, i.X)
	case *ssa.Convert:
		return r.convert(s, i)
	case *ssa.TypeAssert:
		v := r.Value(s, i.X)
		if !i.CommaOk && !types.IsInterface(i.AssertedType) || i.CommaOk {
			v.Fact = domain.NonNil
		}
		if it, ok := i.AssertedType.Underlying().(*types.Interface); ok && i.CommaOk && ir.Releases(it) {
			r.Lose(s, v) // it is released if it can be
		}
		if !ir.Carries(i.AssertedType) {
			v.Refs = nil
		}
		return v
	case *ssa.Slice:
		return r.slice(s, i)
	case *ssa.FieldAddr:
		return at(r.Value(s, i.X), "."+ir.Field(i).Name())
	case *ssa.IndexAddr:
		path := "[]"
		if k, ok := i.Index.(*ssa.Const); ok {
			ref, _ := r.Value(s, i.X).Single()
			if _, array := i.X.Type().Underlying().(*types.Pointer); array || ref.Obj != nil && ref.Obj.Kind == domain.Local && ref.Rel == domain.Whole {
				path = "[" + k.Value.String() + "]"
			}
		}
		return at(r.Value(s, i.X), path)
	case *ssa.Field:
		if ir.Carries(i.Type()) {
			return domain.Value{Refs: r.Value(s, i.X).Refs}
		}
	case *ssa.UnOp:
		switch i.Op {
		case token.MUL:
			return r.load(s, i)
		case token.ARROW:
			r.Wait(s)
		case token.NOT:
			return domain.Value{Fact: r.Value(s, i.X).Fact.Not()}
		}
	case *ssa.BinOp:
		if i.Op == token.EQL || i.Op == token.NEQ {
			v, w := r.Value(s, i.X), r.Value(s, i.Y)
			if ref, ok := v.Single(); ok && ref.Rel == domain.Whole && slices.Equal(v.Refs, w.Refs) {
				return domain.Value{Fact: truth(i.Op == token.EQL)}
			}
			x, y := v.Fact, w.Fact
			if k, ok := i.Y.(*ssa.Const); ok && x >= domain.Case-1 {
				return domain.Value{Fact: truth((k.Int64() == int64(x)-int64(domain.Case)) == (i.Op == token.EQL))}
			}
			if x != domain.Unknown && y != domain.Unknown && (x == domain.Nil || y == domain.Nil || x == domain.True || x == domain.False) {
				return domain.Value{Fact: truth((x == y) == (i.Op == token.EQL))}
			}
		}
	case *ssa.Range:
		return r.Value(s, i.X).As(domain.View)
	case *ssa.Next:
		r.Use(s, r.Value(s, i.Iter), i)
	case *ssa.Lookup:
		r.Use(s, r.Value(s, i.X), i)
	case *ssa.Index:
		r.Use(s, r.Value(s, i.X), i)
		if ir.Carries(i.Type()) {
			r.Lose(s, r.Value(s, i.X))
		}
	}
	return domain.Value{}
}

// passed reports whether a call is given v, which may then give itself back by a method.
//
// Without this question the leak of zap in lab/corpus/mended.tsv is not found.
func passed(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		_, ok := use.(ssa.CallInstruction)
		return ok
	})
}

// choose runs a select statement: there is a state for each case.
func (r *Run) choose(s *domain.State, i *ssa.Select) []*domain.State {
	var states []*domain.State
	add := func(k int) *domain.State {
		t := s.Copy()
		states = append(states, t)
		for _, use := range *i.Referrers() {
			if e, ok := use.(*ssa.Extract); ok && e.Index == 0 {
				Set(t, e, domain.Value{Fact: domain.Case + domain.Fact(k)})
			}
		}
		return t
	}
	for k, c := range i.States {
		t := add(k)
		if r.Wait(t); c.Send != nil {
			r.Send(t, r.Value(t, c.Send), i)
		}
	}
	if !i.Blocking {
		add(-1)
	}
	return states
}

// deferCall puts a call aside until the function returns.
func (r *Run) deferCall(s *domain.State, i *ssa.Defer) {
	d := domain.Pending{Instr: i, Fun: r.Value(s, i.Call.Value), Args: r.Values(s, ir.Args(&i.Call))}
	for k, old := range s.Defers {
		if old.Instr != i {
			continue
		}
		// In a loop: what the calls before were given is released in the end, or it is not.
		for _, v := range append([]domain.Value{old.Fun}, old.Args...) {
			r.Lose(s, v)
		}
		s.Defers = slices.Delete(slices.Clone(s.Defers), k, k+1)
		break
	}
	s.Defers = append(append([]domain.Pending(nil), s.Defers...), d)
}

// runDefers runs the calls that were put aside.
func (r *Run) runDefers(s *domain.State) []*domain.State {
	states := []*domain.State{s}
	for len(states) > 0 && len(states[0].Defers) > 0 {
		var next []*domain.State
		for _, s := range states {
			n := len(s.Defers)
			if n == 0 {
				next = append(next, s)
				continue
			}
			d := s.Defers[n-1]
			s.Defers = s.Defers[:n-1]
			outer := r.Deferred
			r.Deferred = d.Instr
			next = append(next, r.call(s, nil, &d.Instr.Call, d.Fun, d.Args)...)
			r.Deferred = outer
		}
		if states = Distinct(next); len(states) > MaxStates {
			r.TooMuch = true
			return nil
		}
	}
	return states
}

// Distinct merges the states of one shape.
func Distinct(states []*domain.State) []*domain.State {
	by := make(map[uint64]*domain.State)
	var all []*domain.State
	for _, s := range states {
		h := s.Shape()
		if old := by[h]; old != nil {
			old.Meet(s)
		} else {
			by[h] = s
			all = append(all, s)
		}
	}
	return all
}

// call runs a call. Its result goes into reg, which is nil if the call is deferred.
func (r *Run) call(s *domain.State, reg *ssa.Call, c *ssa.CallCommon, fun domain.Value, args []domain.Value) []*domain.State {
	if b, ok := c.Value.(*ssa.Builtin); ok {
		r.SetResults(s, reg, []domain.Value{r.builtin(s, b.Name(), r.At(reg), c, args)})
		return []*domain.State{s}
	}
	r.SetResults(s, reg, nil)
	if lit, bound := literal(s, c, fun); lit != nil && r.Fits(lit) {
		return r.Inline(s, reg, lit, bound, args)
	}
	return r.Call(s, reg, c, args)
}
