package rules

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// guard returns the block that decides whether i runs and goes on behind it in either case, as
//
//	if ok {
//		pool.Put(b)
//	}
//
// does; nil if there is none.
func guard(i ssa.Instruction) *ssa.BasicBlock {
	b := i.Block()
	for p := b.Idom(); p != nil; p = p.Idom() {
		if _, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If); !ok {
			continue
		}
		for k, then := range p.Succs {
			if then.Dominates(b) && len(then.Preds) == 1 && slices.ContainsFunc(p.Succs[1-k].Preds, then.Dominates) {
				return p
			}
		}
		return nil
	}
	return nil
}

// decided reports whether the program decides, on the way to at, whether to release o: some release of it
// is in a statement that the way to at has passed.
func decided(t *contract.Trace, o *domain.Object, at ssa.Instruction) bool {
	for _, e := range t.Events {
		if e.Kind != paths.Releases || e.Ref.Obj != o {
			continue
		}
		if g := guard(e.By); g != nil && (g.Parent() != at.Parent() || g.Dominates(at.Block())) {
			return true
		}
	}
	return false
}

// asked reports whether all releases of o depend on something that is no error: a round of a loop that does
// without has decided to.
//
// Fixture: alike/merged.go.
func asked(t *contract.Trace, o *domain.Object) bool {
	all, some := true, false
	for _, e := range t.Events {
		if e.Kind == paths.Releases && e.Ref.Obj == o && ir.Loops(e.By.Block()) {
			g := guard(e.By)
			all, some = all && g != nil && !asksError(g), true
		}
	}
	return all && some
}

// exclusive reports whether e, and the release before it, each depend on a condition of their own: the two
// may exclude each other.
func exclusive(e paths.Event) bool {
	before := e.Life.By
	if before == nil || before.Parent() != e.By.Parent() || before.Block().Dominates(e.By.Block()) {
		return false
	}
	g, h := guard(before), guard(e.By)
	return g != nil && h != nil && g != h && !asksError(g) && !asksError(h)
}

// asksError reports whether b ends with a comparison of an error.
func asksError(b *ssa.BasicBlock) bool {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cmp, ok := branch.Cond.(*ssa.BinOp)
	return ok && ir.IsError(cmp.X.Type())
}

// afterError reports whether the way to at has found an error.
func afterError(at ssa.Instruction) bool {
	b := at.Block()
	for p := b.Idom(); p != nil; p = p.Idom() {
		if !asksError(p) {
			continue
		}
		cmp := p.Instrs[len(p.Instrs)-1].(*ssa.If).Cond.(*ssa.BinOp)
		if k, ok := cmp.Y.(*ssa.Const); !ok || !k.IsNil() {
			continue
		}
		side := p.Succs[0]
		if cmp.Op == token.EQL {
			side = p.Succs[1]
		}
		if side.Dominates(b) && len(side.Preds) == 1 {
			return true
		}
	}
	return false
}
