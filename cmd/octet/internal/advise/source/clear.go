package source

import (
	"go/ast"

	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"
)

// uncleared returns what must be cleared of a slice of a pool in place of that which a call of make returns, or "" if nothing
// need be. name is that of the variable which gets the slice.
func (t *tracer) uncleared(made inspector.Cursor, name string) string {
	args := made.Node().(*ast.CallExpr).Args
	empty := t.is(args[1], 0)
	switch {
	case empty && t.fate.capacity == 0 && !t.showsRoom():
		return ""
	case empty, len(args) > 2, made.ParentEdgeKind() == edge.SliceExpr_X, t.fate.capacity > 0:
		return name + "[:cap(" + name + ")]"
	}
	return name
}

// showsRoom reports whether others may see more of an empty slice than is appended to it. Callers to which it is returned
// have what is appended, for they may make longer what they know to be empty.
func (t *tracer) showsRoom() bool {
	f := t.fate
	return f.longer || f.ends != Here && !(f.returned && f.grows && !f.emptied && len(t.seen) == 1)
}
