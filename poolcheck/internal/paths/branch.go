package paths

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// assume takes cond to be true, or false, in s. It reports whether that can be.
func (r *Run) assume(s *domain.State, cond ssa.Value, is bool) bool {
	f := truth(is)
	if known := r.Value(s, cond).Fact; known != domain.Unknown {
		return known == f // the way is closed if the condition is known to be the other
	}
	setFact(s, cond, f)
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return r.assume(s, c.X, !is)
		}
		r.learn(s, c, f) // a flag that is read out of a variable or a field
	case *ssa.BinOp:
		r.weigh(s, c.X, c.Y)
		r.weigh(s, c.Y, c.X)
		if c.Op == token.EQL || c.Op == token.NEQ {
			// A comparison with a constant that is true or false says the same of what is compared.
			if k := r.Value(s, c.Y).Fact; k == domain.True || k == domain.False {
				return r.assume(s, c.X, (c.Op == token.EQL) == is == (k == domain.True))
			}
			return r.equal(s, c.X, c.Y, (c.Op == token.EQL) == is)
		}
	case *ssa.Call: // Fixture: alike/failed.go.
		f := ir.Declared(&c.Call)
		if f == nil {
			break
		}
		if name := ir.FullName(f); is && (name == "errors.Is" || name == "errors.As") {
			return r.assumeFact(s, c.Call.Args[0], domain.NonNil)
		}
	case *ssa.Extract:
		if ta, ok := c.Tuple.(*ssa.TypeAssert); ok && !is {
			for o := range s.Life.All() {
				if o.Kind == domain.Acquired && o.Site == ta.X {
					s.Forget(o) // the pool had none
				}
			}
		}
	}
	return true
}

// equal takes x and y to be equal, or not.
func (r *Run) equal(s *domain.State, x, y ssa.Value, is bool) bool {
	if _, ok := x.(*ssa.Const); ok {
		x, y = y, x
	}
	f := r.Value(s, y).Fact
	if _, ok := y.(*ssa.Const); !ok {
		if is { // two variables are equal, of which one may be the pool's mark for none
			r.sentinel(s, x)
			r.sentinel(s, y)
		}
		return true
	}
	if f == domain.Unknown {
		return true
	}
	if !is {
		f = f.Not()
	}
	return r.assumeFact(s, x, f)
}

// sentinel forgets what v leads to, which equals something else: it did not come out of a pool.
//
// Fixture: alike/sentinel.go.
func (r *Run) sentinel(s *domain.State, v ssa.Value) {
	if ref, ok := r.Value(s, v).Single(); ok && ref.Rel == domain.Whole && ref.Obj.Kind == domain.Acquired {
		s.Forget(ref.Obj)
	}
}

// assumeFact takes f to be so of v, and of what v was made from.
func (r *Run) assumeFact(s *domain.State, v ssa.Value, f domain.Fact) bool {
	if known := r.Value(s, v).Fact; known != domain.Unknown && known != f {
		return false
	}
	r.learn(s, v, f)
	for _, ref := range r.Value(s, v).Refs {
		if ref.Rel == domain.Fault && f == domain.NonNil {
			s.Update(ref.Obj, func(l *domain.Life) { l.Failed = true })
		}
	}
	switch v := v.(type) {
	case *ssa.ChangeInterface:
		return r.assumeFact(s, v.X, f)
	case *ssa.ChangeType:
		return r.assumeFact(s, v.X, f)
	case *ssa.Extract:
		if f != domain.NonNil || !ir.IsError(v.Type()) {
			break
		}
		for o, l := range s.Life.All() {
			if o.Fails != nil && o.Fails == v.Tuple && l.Phase == domain.Live {
				s.Forget(o) // there is none beside the error
			}
		}
	}
	if f == domain.Nil { // the pool, or who was asked, had none
		if ref, ok := r.Value(s, v).Single(); ok && ref.Rel == domain.Whole && ref.Obj.Kind == domain.Acquired {
			s.Forget(ref.Obj)
			setFact(s, v, f)
		}
	}
	return true
}

// learn notes a fact of v, and of the cell that it was read from if that has it still.
func (r *Run) learn(s *domain.State, v ssa.Value, f domain.Fact) {
	before := s.Env.Get(v)
	setFact(s, v, f)
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return
	}
	// Of what the function was given only cells that lead to something are followed: a number in there may be changed by others
	// at any time.
	ref, ok := r.Value(s, load.X).Single()
	if !ok || ref.Obj.Kind != domain.Local && len(before.Refs) == 0 {
		return
	}
	cell := domain.Cell{Obj: ref.Obj, Path: ref.Path}
	held, ok := s.Mem.Lookup(cell)
	// The cell may have another value by now: it is taken for the same if it has the same fact and leads to the same.
	if ok && held.Fact == before.Fact && len(held.Refs) == len(before.Refs) && (len(held.Refs) == 0 || held.Refs[0] == before.Refs[0]) {
		held.Fact = f
		s.Mem.Set(cell, held)
	}
}

// weigh notes that the capacity of what v measures decides, or its length beside one that is asked for.
//
// Fixtures: alike/alike.go, idioms/sized.go.
func (r *Run) weigh(s *domain.State, v, than ssa.Value) {
	if b, ok := v.(*ssa.BinOp); ok {
		r.weigh(s, b.X, than)
		r.weigh(s, b.Y, than)
		return
	}
	if c, ok := v.(*ssa.Convert); ok {
		v = c.X
	}
	call, ok := v.(*ssa.Call)
	if !ok || len(ir.Args(&call.Call)) == 0 {
		return
	}
	k, fixed := than.(*ssa.Const)
	if b, ok := call.Call.Value.(*ssa.Builtin); ok {
		if b.Name() != "cap" && (b.Name() != "len" || fixed) {
			return
		}
	} else if f := ir.Declared(&call.Call); f == nil || f.Name() != "Cap" && (f.Name() != "Len" || fixed && k.Int64() == 0) {
		return
	}
	for _, ref := range r.Value(s, ir.Args(&call.Call)[0]).Refs {
		if ref.Rel <= domain.View {
			s.Update(ref.Obj, func(l *domain.Life) { l.Weighed = true })
		}
	}
}
