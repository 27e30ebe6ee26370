package contract

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// What is taken for granted of code that cannot be followed to its end. Each of these keeps programs silent that
// are right, or makes others known, and the fixtures named with it fail without it.

// mayReturn says of unknown code with a result of the type of its argument k that it may return that.
//
// Fixtures: alike/alike.go, oct004/literals.go.
func mayReturn(c *ssa.CallCommon, k int, v domain.Value) bool {
	ref, ok := v.Single()
	if !ok || ref.Rel > domain.Part {
		return false
	}
	for result := range c.Signature().Results().Variables() {
		if types.Identical(result.Type(), ir.Args(c)[k].Type()) {
			return true
		}
	}
	return false
}

// countsReferences says that a function which counts down in its parameter i, and may release it, gives back one
// reference of many: others have theirs.
//
// Fixtures: alike/undecided.go, idioms/handover.go, oct001/fitting.go.
func countsReferences(fn *ssa.Function, i int, sum *Summary) bool {
	return ir.Counts(fn.Params[i]) && slices.ContainsFunc(sum.Outcomes, func(o Outcome) bool { return o.Params[i].Released || o.Params[i].Loans != nil })
}

// mayReleaseInside says of a function that has to do with pools, or takes a list of arguments, that it may release
// what is in a struct or list that the caller has made.
//
// Fixtures: oct004/beside.go, oct004/callee.go.
func (p *Package) mayReleaseInside(fn *ssa.Function, ref domain.Ref) bool {
	a, ok := ref.Obj.Site.(*ssa.Alloc)
	return ok && (a.Comment == "varargs" || p.pooling[fn])
}

// knowsWhatHappens reports whether a caller ignores the result of a function. Such a caller knows that the function
// keeps an argument which it may keep.
//
// Fixture: oct004/dropped.go.
func knowsWhatHappens(reg *ssa.Call) bool { return reg != nil && len(*reg.Referrers()) == 0 }

// guesses reports whether the outcome is that of an argument that is nil, which this one may be or not: then what
// the function hands out is not followed.
//
// Fixtures: idioms/notice.go.
func guesses(out Outcome, args []domain.Value) bool {
	for i, f := range out.In {
		if i < len(args) && f == domain.Nil && args[i].Fact == domain.Unknown {
			return true
		}
	}
	return false
}
