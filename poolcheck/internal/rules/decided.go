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
			all, some = all && choice(guard(e.By)), true
		}
	}
	return all && some
}

// exclusive reports whether at, and what runs before it, each depend on a condition of their own: the two may
// exclude each other.
func exclusive(before, at ssa.Instruction) bool {
	if before == nil || before.Parent() != at.Parent() || before.Block().Dominates(at.Block()) {
		return false
	}
	g, h := guard(before), guard(at)
	return choice(g) && choice(h) && g != h
}

// choice reports whether the program decides in the guard b for a reason that is no error.
func choice(b *ssa.BasicBlock) bool {
	if b == nil {
		return false
	}
	_, failed := asksError(b)
	return !failed
}

// asksError reports whether b ends with a condition on an error, and which of the ways behind it the error takes: one
// that is not nil, or that is a certain one, such as io.EOF.
func asksError(b *ssa.BasicBlock) (way int, ok bool) {
	branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return 0, false
	}
	switch cond := branch.Cond.(type) {
	case *ssa.BinOp:
		if k, ok := cond.Y.(*ssa.Const); (ok && k.IsNil()) != (cond.Op == token.NEQ) {
			way = 1
		}
		return way, ir.IsError(cond.X.Type())
	case *ssa.Call:
		f := ir.Declared(&cond.Call)
		return 0, f != nil && ir.FullName(f) == "errors.Is"
	}
	return 0, false
}

// afterError reports whether i runs only if there is an error.
func afterError(i ssa.Instruction) bool {
	b := i.Block()
	for p := b.Idom(); p != nil; p = p.Idom() {
		if way, ok := asksError(p); ok && p.Succs[way].Dominates(b) && len(p.Succs[way].Preds) == 1 {
			return true
		}
	}
	return false
}
