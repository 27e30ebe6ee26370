package rules

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// grown reports that the old slice goes back where a loop has appended to it again and again: what has grown is lost each
// time, and the pool has the small one.
func (c *checker) grown(e paths.Event) bool {
	call, sized := appends(e)
	if call == nil || !sized || !feedsItself(call) {
		return false
	}
	c.report("OCT008", e.Ref.Obj, e.By, e.Life.Grown)
	return true
}

// stale reports a write to the old slice, which the new one shows only if the append has not moved the content.
func (c *checker) stale(e paths.Event) {
	call, sized := appends(e)
	if call == nil || !sized || !writesOnly(e.By) {
		return
	}
	if _, cut := call.Call.Args[0].(*ssa.Slice); cut || !feedsItself(call) && !unbounded(call) {
		return // it begins anew, or there may be room
	}
	c.report("OCT008", e.Ref.Obj, e.By, e.Life.Grown)
}

// appends returns the append of the language before e that the old slice does not know of, nil if there is none; and
// whether the slice was had for a constant size, which leaves no room that the program would know of.
func appends(e paths.Event) (call *ssa.Call, sized bool) {
	l := e.Life
	if !e.Ref.Old || l.Phase != domain.Live || l.Weighed || e.Ref.Obj.Kind != domain.Acquired || !ir.IsList(e.Ref.Obj.Type) {
		return nil, false
	}
	call, ok := l.Grown.(*ssa.Call)
	if !ok {
		return nil, false
	}
	if b, ok := call.Call.Value.(*ssa.Builtin); !ok || b.Name() != "append" {
		return nil, false
	}
	from, ok := e.Ref.Obj.Site.(*ssa.Call)
	return call, ok && slices.ContainsFunc(from.Call.Args, func(arg ssa.Value) bool {
		_, constant := arg.(*ssa.Const)
		return constant
	})
}

// feedsItself reports whether call, in a loop, appends to its own result.
func feedsItself(call *ssa.Call) bool {
	phi, ok := call.Call.Args[0].(*ssa.Phi)
	return ok && slices.Contains(phi.Edges, ssa.Value(call))
}

// unbounded reports whether call appends a slice, and not so many elements.
func unbounded(call *ssa.Call) bool {
	list, ok := call.Call.Args[1].(*ssa.Slice)
	if !ok {
		_, constant := call.Call.Args[1].(*ssa.Const)
		return !constant
	}
	_, fixed := list.X.(*ssa.Alloc)
	return !fixed
}

// writesOnly reports whether i writes to memory in place.
func writesOnly(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Store:
		return true
	case *ssa.Call:
		f := ir.Declared(&i.Call)
		return f != nil && strings.HasPrefix(f.Name(), "Put") || i.Call.Value.Name() == "copy"
	}
	return false
}
