package rules

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// kept reports that released memory is made reachable from outside.
func (c *checker) kept(e paths.Event) {
	c.report("OCT002", e.Ref.Obj, e.By, e.Life.By)
}

// outlives reports what shows memory when the function has ended that it has released.
func (c *checker) outlives(t *contract.Trace) {
	type fault struct {
		o  *domain.Object
		at ssa.Instruction
	}
	seen := make(map[fault]bool)
	report := func(s *domain.State, o *domain.Object, at ssa.Instruction) {
		if l := s.Life.Get(o); l.Phase == domain.Released && !seen[fault{o, at}] {
			seen[fault{o, at}] = true
			code := "OCT002"
			_, stored := at.(*ssa.Store)
			if _, deferred := l.By.(*ssa.Defer); stored && !deferred && l.At == l.By && before(l.By, at) {
				code = "OCT001" // it was stored when it was back already
			}
			c.report(code, o, at, l.By)
		}
	}
	for _, x := range t.Exits {
		for _, v := range x.Results {
			for _, ref := range through(x.State, v) {
				// What is beside an error is not looked at.
				if ref.Rel <= domain.View && !fails(x) {
					report(x.State, ref.Obj, x.Return)
				}
			}
		}
		for cell, at := range x.State.Stored.All() {
			if x.State.Life.Get(cell.Obj).Phase == domain.Released {
				continue // that went back, too
			}
			for _, ref := range through(x.State, x.State.Mem.Get(cell)) {
				l := x.State.Life.Get(ref.Obj)
				if ref.Obj.Family == api.Windows && ir.Loops(at.Block()) {
					continue // the next round replaces it
				}
				if ref.Rel != domain.Fault && ref.Obj.Kind == domain.Acquired && l.By != nil && guard(l.By) == nil {
					report(x.State, ref.Obj, at)
				}
			}
		}
	}
}

// through returns what v refers to, and what structs that the function has made do, also by a literal that is stored in one.
func through(s *domain.State, v domain.Value) []domain.Ref {
	all := slices.Clone(v.Refs)
	seen := make(map[*domain.Object]bool) // a literal may lead to itself
	var inside func(v domain.Value)
	inside = func(v domain.Value) {
		ref, ok := v.Single()
		if !ok || ref.Obj.Kind != domain.Local || ref.Rel != domain.Whole && paths.Closure(ref.Obj) == nil || seen[ref.Obj] {
			return
		}
		seen[ref.Obj] = true
		for _, cell := range paths.Cells(s, ref.Obj) {
			held := s.Mem.Get(cell)
			all = append(all, held.Refs...)
			if lit, ok := held.Single(); ok && (paths.Closure(ref.Obj) != nil || paths.Closure(lit.Obj) != nil) {
				inside(held)
			}
		}
	}
	inside(v)
	return all
}

// fails reports whether x returns an error, or nothing but one that is not known.
func fails(x paths.Exit) bool {
	nothing := len(x.Results) > 1
	for i, v := range x.Results {
		switch {
		case !ir.IsError(x.Return.Results[i].Type()):
			nothing = nothing && (v.Fact == domain.Nil || v.Fact == domain.Case)
		case v.Fact == domain.NonNil:
			return true
		case v.Fact == domain.Nil:
			return false
		}
	}
	return nothing
}

// before reports whether a runs before b on each way to b.
func before(a, b ssa.Instruction) bool {
	if a.Block() != b.Block() {
		return a.Parent() == b.Parent() && a.Block().Dominates(b.Block())
	}
	return slices.Index(a.Block().Instrs, a) < slices.Index(a.Block().Instrs, b)
}
