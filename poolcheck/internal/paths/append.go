package paths

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// builtin calls a function of the language and returns its result.
func (r *Run) builtin(s *domain.State, name string, at ssa.Instruction, c *ssa.CallCommon, args []domain.Value) domain.Value {
	switch name {
	case "append":
		return r.grow(s, at, c, args)
	case "copy":
		r.Use(s, args[0], at)
		r.Use(s, args[1], at)
	case "clear":
		r.Use(s, args[0], at)
	case "ssa:wrapnilchk":
		return args[0]
	case "SliceData", "String", "StringData", "Slice", "Add":
		return args[0].Shown()
	}
	return domain.Value{}
}

// grow appends to args[0].
func (r *Run) grow(s *domain.State, at ssa.Instruction, c *ssa.CallCommon, args []domain.Value) domain.Value {
	list := args[0]
	r.Use(s, list, at)
	if len(args) > 1 {
		if t := elem(c); ir.Carries(t) || ir.IsError(t) {
			for _, ref := range args[1].Refs {
				if ref.Obj.Kind != domain.Local {
					r.Use(s, args[1], at)
				}
			}
			r.Keep(s, args[1], at) // into the list
		} else {
			r.Use(s, args[1], at)
		}
	}
	ref, ok := list.Single()
	if !ok || ref.Rel > domain.Part {
		if ok && s.Life.Get(ref.Obj).Weighed { // it knows whether the content moves
			return domain.Value{}
		}
		return domain.Value{Refs: list.Refs}
	}
	r.Outdate(s, ref, at)
	ref.Old = false
	return domain.Value{Refs: []domain.Ref{ref}, Fact: domain.NonNil}
}

// Outdate says of the slices that ref shows that at may have moved their content.
func (r *Run) Outdate(s *domain.State, ref domain.Ref, at ssa.Instruction) {
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

// elem returns the type of the elements that c appends.
func elem(c *ssa.CallCommon) types.Type {
	if list, ok := c.Args[0].Type().Underlying().(*types.Slice); ok {
		return list.Elem()
	}
	return types.Typ[types.Byte]
}
