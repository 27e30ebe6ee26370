package flow

import (
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// What compresses, encodes or formats fails where its writer does, and writers into memory
// do not: a path that only their errors lead to is none.

// sound reports whether the argument k of c gives a function that says so no reason to fail:
// a writer into memory, a level of compression, or a value of a fixed size.
func (e *explorer) sound(s *state, c *call, k int) bool {
	t := c.regs[k].Type()
	if isInteger(t) {
		n, err := strconv.Atoi(s.knownOf(c.args[k]).val)
		return err == nil && n >= -2 && n <= 9
	}
	if iface, ok := t.Underlying().(*types.Interface); ok && iface.Empty() {
		t = staticType(c.regs[k])
		if elem := elemOfPointer(t); elem != nil {
			t = elem
		} else if list, ok := t.Underlying().(*types.Slice); ok {
			t = list.Elem()
		}
		return fixedSize(t)
	}
	return e.neverFails(s, c.args[k], maxDepth)
}

// neverFails reports whether writing to v does not fail: it is memory, or writes to memory
// through at most depth others, which are as they were made: a gzip.Writer has a header, and a
// csv.Writer a separator, that may not do.
func (e *explorer) neverFails(s *state, v value, depth int) bool {
	for _, x := range v.refs {
		if e.takesAll(x) {
			continue
		}
		held := s.mem[cell{x.obj, "held"}]
		if depth == 0 || x.path != "" || held.stale || s.wrote(x.obj) || narrow(x.obj.site) || !e.neverFails(s, held, depth-1) {
			return false
		}
	}
	return len(v.refs) > 0
}

// narrow reports whether w is an lzw.Writer for less than bytes.
func narrow(w ssa.Value) bool {
	call, ok := w.(*ssa.Call)
	return ok && call.Call.Value.String() == "compress/lzw.NewWriter" && !isNumber(call.Call.Args[2], 8)
}

// takesAll reports whether the Write method of what x points to returns no error, as the table,
// its body or its summary tells, or as hashes promise.
func (e *explorer) takesAll(x ref) bool {
	t := typeAt(x.obj.typ, x.path)
	if t == nil || x.rel > view {
		return false
	}
	if slices.Contains([]string{"hash.Hash", "hash.Hash32", "hash.Hash64"}, t.String()) {
		return true
	}
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Write")
	write, ok := obj.(*types.Func)
	if !ok {
		return false
	}
	if row := e.row(write.Origin()); row != nil {
		return slices.Contains(row.Effects, api.Effect{Op: api.Nil, Res: 1})
	}
	sum := e.imported(write.Origin())
	if fn := e.body(write.Origin()); fn != nil {
		sum = e.summary(fn)
	}
	return sum != nil && len(sum.Outcomes) > 0 && !slices.ContainsFunc(sum.Outcomes, func(o Outcome) bool {
		return len(o.Results) != 2 || o.Results[1].Known != knownNil.String()
	})
}

// fixedSize reports whether values of type t have the same size always.
func fixedSize(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsNumeric|types.IsBoolean) != 0 && !slices.Contains([]types.BasicKind{types.Int, types.Uint, types.Uintptr}, u.Kind())
	case *types.Array:
		return fixedSize(u.Elem())
	case *types.Struct:
		return !slices.ContainsFunc(slices.Collect(u.Fields()), func(f *types.Var) bool { return !fixedSize(f.Type()) })
	}
	return false
}
