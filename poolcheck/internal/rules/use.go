package rules

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
	"github.com/octet-go/octet/poolcheck/internal/paths"
)

// use reports a use of memory that was released or moved.
func (c *checker) use(e paths.Event) {
	if e.Ref.Obj.Family == api.Owner && e.Ref.Rel == domain.Whole {
		return // what it had went back, and not the struct; fixture: alike/closed.go
	}
	if exclusive(e.Life.By, e.By) {
		return
	}
	code := "OCT001"
	if e.Life.Grown != nil && e.Life.Grown == e.Life.By {
		code = "OCT008"
	}
	r := c.report(code, e.Ref.Obj, e.By, e.Life.By)
	r.Before, r.Reads = e.By == e.Life.By, reads(e.By)
}

// writing has the beginnings of the names of functions and methods that write to what they are given.
var writing = []string{"Write", "Append", "Set", "Read", "Reset", "Grow", "Copy", "Decode", "Encode", "Unmarshal", "copy", "append", "clear"}

// reads reports whether i only looks at memory, as a test may that asks whether it is clean.
func reads(i ssa.Instruction) bool {
	switch i := i.(type) {
	case *ssa.Store, *ssa.MapUpdate, *ssa.Send, *ssa.Go, *ssa.Defer:
		return false
	case *ssa.Call:
		name := i.Call.Value.Name()
		if f := ir.Declared(&i.Call); f != nil {
			name = f.Name()
		}
		return !slices.ContainsFunc(writing, func(verb string) bool { return strings.HasPrefix(name, verb) })
	}
	return true
}
