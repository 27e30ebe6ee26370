// Package contract decides what the calls of a package do with pooled memory, and learns what each of its functions
// does with what it is given and what it returns.
//
// Package paths runs a function along its paths. The functions of the package that it calls are explored first: a
// call has one outcome for each way in which they end. What other packages promise is a row of the table, a
// comment, or what was learned when they were checked. Of other unknown code, a package that goes on to release
// what it has given to it shows that the code only borrows.
//
// # Map
//
//   - package.go: what is known of the package, and of the functions that it calls
//   - collect.go: a new package, and what its code shows before anything is explored
//   - run.go: what package paths asks
//   - call.go: calls of unknown code, and which calls are known
//   - heuristics.go: what is taken for granted of code that cannot be followed
//   - waits.go: which calls may wait for other goroutines
//   - body.go: the body of a request, which the Transport has
//   - row.go: calls of functions that the table describes
//   - apply.go: calls of functions of the package
//   - summary.go: what a function promises
//   - trace.go: explorations, each once
//   - export.go: what other packages are told
package contract

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/domain"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// A Config says what is known of other code.
type Config struct {
	Table     api.Table
	Package   *types.Package
	Functions []*ssa.Function
	// Declared returns what a comment, or an earlier check of its package, says of a function, or of the functions of
	// a type.
	Declared func(types.Object) *api.Func
}

// A Package explores the functions of one package.
type Package struct {
	Config
	poolPackages map[string]bool          // packages that are nothing but pools
	traces       map[*ssa.Function]*Trace // nil while the function is explored, and if it is too much
	pooling      map[*ssa.Function]bool
	puts         map[any]bool               // the pools that something is put into, and if a pool is not known the types of memory and the families
	owners       map[*ssa.Function][]string // methods that release what is in fields of their receiver, and in which
	perhaps      map[*ssa.Function][]string // methods that may call one of these on their receiver
	gives        map[*ssa.Function]int      // which parameter a function releases
	owning       map[types.Object]bool      // the types of those receivers
	kept         map[types.Object]bool      // fields of which more is done than to return or replace what they have
	filled       map[types.Object]fill      // what fields are made to point to
	waiting      map[*ssa.Function]bool     // functions that may wait for other goroutines
	borrows      map[any]bool               // unknown code that is known to give back what it is given
}

// A fill says what a field is made to point to: buffers that are made for it, or what is somebody else's.
type fill struct{ made, others bool }

// hasOwn reports whether a field points to a buffer that is made for it alone.
//
// Fixtures: oct002/embedded.go.
func (p *Package) hasOwn(field *types.Var) bool {
	return p.filled[field].made && !p.filled[field].others && (!field.Exported() || field.Embedded())
}

// Owns reports whether values of type t have a function that releases what is in one of their fields.
func (p *Package) Owns(t types.Type) bool {
	name := ir.TypeName(t)
	return name != nil && p.owning[name]
}

// Puts reports whether something is put into the pool that o came from.
func (p *Package) Puts(o *domain.Object) bool {
	switch {
	case o.Family.Counted || o.Family == api.Owner:
		return true
	case o.Pool != nil:
		return p.puts[o.Pool]
	case types.IsInterface(o.Type): // of sync.Pool
		return p.puts[o.Family]
	}
	return p.puts[o.Type.String()]
}

// pools reports whether values of type t have a method that has to do with pooled memory.
func (p *Package) pools(t types.Type) bool {
	for m := range types.NewMethodSet(t).Methods() {
		if f, ok := m.Obj().(*types.Func); ok && f.Pkg() == p.Package && p.pooling[p.Functions[0].Prog.FuncValue(f)] {
			return true
		}
	}
	return false
}

// Pooling reports whether fn has to do with pooled memory.
func (p *Package) Pooling(fn *ssa.Function) bool { return p.pooling[fn] }

// Borrows reports whether all code that l tells of gives back what it was given.
func (p *Package) Borrows(l *domain.Loan) bool {
	for ; l != nil; l = l.Next {
		if !p.borrows[l.Key] {
			return false
		}
	}
	return true
}

// row returns what the table, a comment or another package says of the function that c calls; nil if
// they say nothing.
func (p *Package) row(c *ssa.CallCommon) *api.Func {
	f := ir.Declared(c)
	if f == nil {
		if t := ir.TypeName(c.Value.Type()); t != nil && c.StaticCallee() == nil {
			return p.Declared(t)
		}
		return nil
	}
	if c.IsInvoke() { // a method that the interface has of another one
		if row := p.Table["("+c.Value.Type().String()+")."+f.Name()]; row != nil {
			return row
		}
	}
	if row := p.Table[ir.FullName(f)]; row != nil {
		return row
	}
	return p.Declared(f)
}

// poolOf returns the variable or field of the pool that c, which row describes, calls.
func (p *Package) poolOf(c *ssa.CallCommon, row *api.Func) types.Object {
	args := ir.Args(c)
	if row.Default || len(args) == 0 {
		return nil
	}
	if slices.ContainsFunc(row.Effects, func(e api.Effect) bool { return e.Op == api.Release && e.Arg == 0 }) {
		return nil // a method of the memory itself
	}
	return ir.Pool(args[0])
}
