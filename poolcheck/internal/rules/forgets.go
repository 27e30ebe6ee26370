package rules

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/contract"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// repeated has the methods that users of a value may call more than once: io.Reader and io.Closer say so, and
// what asks for more.
var repeated = []string{"Read", "Close", "Request"}

// unforgotten reports a method that may be called again, such as Close, and that releases the receiver's memory
// each time.
//
// Fixtures: oct003/again.go.
func (c *checker) unforgotten(t *contract.Trace) {
	for _, e := range t.Events {
		if e.Kind != paths.Releases {
			continue
		}
		fn := e.At.Parent()
		if fn.Signature.Recv() == nil || guard(e.By) != nil && e.By.Parent() != fn {
			continue
		}
		field, ok := ofReceiver(fn, e)
		if !ok {
			continue
		}
		why := ""
		switch {
		case late(fn, e.At):
			why = "also by those that it turns away later"
		case !slices.Contains(repeated, fn.Name()) || asksReceiver(fn, e.At):
		case fn.Name() == "Read" && afterError(e.At) && !overwrites(fn, field):
			why = "also after the end"
		case fn.Name() == "Close" && field != "" && !byItself(e.By) && isReader(fn) && !overwrites(fn, field):
			why = "it does not forget it, and bodies are closed twice"
		case fn.Name() == "Close" && field == "" && !byItself(e.By) && isReader(fn) && !changes(fn) && c.givenOut(fn):
			why = "it does not ask whether it was closed, and readers are closed twice"
		case fn.Name() != "Read" && byValue(fn) && !byItself(e.By):
			why = "a value receiver cannot forget it"
		}
		if why != "" {
			r := c.report("OCT003", e.Ref.Obj, e.By, nil)
			r.Method, r.Why = fn.Name(), why
		}
	}
}

// isReader reports whether the receiver of fn has a method Read.
func isReader(fn *ssa.Function) bool {
	read, _, _ := types.LookupFieldOrMethod(fn.Signature.Recv().Type(), true, fn.Pkg.Pkg, "Read")
	_, ok := read.(*types.Func)
	return ok
}

// givenOut reports whether exported functions return the receiver of fn as an interface of package io with a Close, such as
// io.ReadCloser: users outside of the package do not know that Close gives it to others.
func (c *checker) givenOut(fn *ssa.Function) bool {
	return slices.ContainsFunc(c.p.Functions, func(f *ssa.Function) bool {
		if f.Object() == nil || !f.Object().Exported() {
			return false
		}
		for i := range ir.Instructions(f) {
			made, ok := i.(*ssa.MakeInterface)
			if !ok || !types.Identical(made.X.Type(), fn.Params[0].Type()) {
				continue
			}
			name := ir.TypeName(made.Type())
			returned := func(r *types.Var) bool { return types.Identical(r.Type(), made.Type()) }
			if name != nil && name.Pkg() != nil && name.Pkg().Path() == "io" && strings.HasSuffix(name.Name(), "Closer") && slices.ContainsFunc(slices.Collect(f.Signature.Results().Variables()), returned) {
				return true
			}
		}
		return false
	})
}

// changes reports whether fn writes to a field of its receiver.
func changes(fn *ssa.Function) bool {
	for i := range ir.Instructions(fn) {
		if store, ok := i.(*ssa.Store); ok {
			if param, path := ir.Origin(store.Addr); param != nil && param == fn.Params[0] && path != "" {
				return true
			}
		}
	}
	return false
}

func byValue(fn *ssa.Function) bool {
	_, pointer := fn.Signature.Recv().Type().Underlying().(*types.Pointer)
	return !pointer
}

// byItself reports whether i calls a method of the memory, which may know that it was released.
func byItself(i ssa.Instruction) bool {
	call, ok := i.(ssa.CallInstruction)
	if !ok {
		return false
	}
	f := ir.Declared(call.Common())
	return f != nil && f.Signature().Recv() != nil && len(ir.Args(call.Common())) == 1
}

// ofReceiver reports whether e releases the receiver of fn, or what a field of it has, and returns the field.
func ofReceiver(fn *ssa.Function, e paths.Event) (field string, ok bool) {
	if e.Ref.Obj.Param == 0 {
		return "", true
	}
	param, path := ir.Origin(e.Ref.Obj.Site)
	return path, param != nil && param == fn.Params[0] && strings.Count(path, ".") == 1
}

// overwrites reports whether fn writes to a field of its receiver, or to the receiver as a whole.
func overwrites(fn *ssa.Function, field string) bool {
	for i := range ir.Instructions(fn) {
		if store, ok := i.(*ssa.Store); ok {
			if _, local := store.Addr.(*ssa.Alloc); local {
				continue
			}
			if param, path := ir.Origin(store.Addr); param != nil && param == fn.Params[0] && (path == field || path == "") && !byValue(fn) {
				return true
			}
		}
	}
	return slices.ContainsFunc(fn.AnonFuncs, func(lit *ssa.Function) bool { return writesField(lit, field) })
}

// writesField reports whether a literal writes to a field of this name.
func writesField(fn *ssa.Function, field string) bool {
	for i := range ir.Instructions(fn) {
		if store, ok := i.(*ssa.Store); ok {
			if fa, ok := store.Addr.(*ssa.FieldAddr); ok && "."+ir.Field(fa).Name() == field {
				return true
			}
		}
	}
	return false
}

// asksReceiver reports whether i runs only if something in the receiver, such as a flag, is so.
func asksReceiver(fn *ssa.Function, i ssa.Instruction) bool {
	for p := i.Block().Idom(); p != nil; p = p.Idom() {
		if branch, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If); ok && readsReceiver(fn, branch.Cond, 0) {
			return true
		}
	}
	return false
}

// readsReceiver reports whether v is computed from what fn changes in its receiver, or from what a function says
// of that. An error of a call is not.
func readsReceiver(fn *ssa.Function, v ssa.Value, depth int) bool {
	of := func(v ssa.Value) (path string, ok bool) {
		param, path := ir.Origin(v)
		return path, param != nil && param == fn.Params[0]
	}
	if path, ok := of(v); ok {
		return overwrites(fn, path)
	}
	i, ok := v.(ssa.Instruction)
	if !ok || depth > 8 || ir.IsError(v.Type()) {
		return false
	}
	_, call := v.(*ssa.Call)
	return slices.ContainsFunc(i.Operands(nil), func(op *ssa.Value) bool {
		if *op == nil {
			return false
		}
		_, told := of(*op)
		return call && told || readsReceiver(fn, *op, depth+1)
	})
}

// late reports whether the release that i defers runs on all ways, and the method asks after i whether this
// call is the first: by a compare-and-swap of a field of the receiver, or by a flag that it sets.
func late(fn *ssa.Function, i ssa.Instruction) bool {
	if _, ok := i.(*ssa.Defer); !ok || asksReceiver(fn, i) {
		return false
	}
	for _, b := range fn.Blocks {
		branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok || !i.Block().Dominates(b) || !turnsAway(b) {
			continue
		}
		if first(fn, branch.Cond) {
			return true
		}
	}
	return false
}

// turnsAway reports whether one of the ways behind b ends at once.
func turnsAway(b *ssa.BasicBlock) bool {
	return slices.ContainsFunc(b.Succs, func(s *ssa.BasicBlock) bool {
		_, ok := s.Instrs[len(s.Instrs)-1].(*ssa.Return)
		return ok && len(s.Preds) == 1
	})
}

// first reports whether cond is a compare-and-swap of something in the receiver.
func first(fn *ssa.Function, cond ssa.Value) bool {
	call, ok := cond.(*ssa.Call)
	if !ok {
		return false
	}
	f := ir.Declared(&call.Call)
	args := ir.Args(&call.Call)
	if f == nil || !strings.HasPrefix(f.Name(), "CompareAndSwap") || len(args) == 0 {
		return false
	}
	param, _ := ir.Origin(args[0])
	return param != nil && param == fn.Params[0]
}
