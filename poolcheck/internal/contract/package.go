// Package contract follows pooled memory through the functions of a package, and learns what each
// does with what it is given and what it returns.
//
// An exploration runs a function along its paths. States that differ only in facts are merged where
// paths meet. The functions of the package that it calls are explored first: a call has one outcome
// for each way in which they end. Function literals run where they are called. What other packages
// promise is a row of the table, a comment, or what was learned when they were checked. Of other
// unknown code, a package that goes on to release what it has given to it shows that the code only
// borrows.
//
// # Map
//
//   - package.go: what is known of the package, and which functions are explored
//   - explore.go: the paths of one function
//   - instr.go: instructions
//   - branch.go: what a condition tells
//   - call.go: calls
//   - row.go: calls of functions that the table describes
//   - summary.go: what a function promises, and calls of functions of the package
//   - life.go: how uses, releases and escapes change the life of an object
package contract

import (
	"go/types"
	"slices"
	"strings"

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
	// Declared returns what a comment, or an earlier check of its package, says of a function.
	Declared func(*types.Func) *api.Func
	// DeclaredType returns what a comment says of the functions of the type that is called.
	DeclaredType func(*ssa.CallCommon) *api.Func
}

// A Package explores the functions of one package.
type Package struct {
	Config
	poolPackages map[string]bool // packages that are nothing but pools
	traces       map[*ssa.Function]*Trace
	busy         map[*ssa.Function]bool
	shapes       map[*ssa.Function]*ir.Shape
	pooling      map[*ssa.Function]bool
	puts         map[any]bool               // the pools that something is put into, and if a pool is not known the types of memory and the families
	owners       map[*ssa.Function][]string // methods that release what is in fields of their receiver, and in which
	owning       map[types.Object]bool      // the types of those receivers
	kept         map[types.Object]bool      // fields of which more is done than to return or replace what they have
	filled       map[types.Object]fill      // what fields are made to point to
	borrows      map[any]bool               // unknown code that is known to give back what it is given
}

// New returns a package.
func New(c Config) *Package {
	p := &Package{
		Config: c, poolPackages: c.Table.Packages(), traces: make(map[*ssa.Function]*Trace), busy: make(map[*ssa.Function]bool),
		shapes: make(map[*ssa.Function]*ir.Shape), pooling: make(map[*ssa.Function]bool), puts: make(map[any]bool),
		borrows: make(map[any]bool), owners: make(map[*ssa.Function][]string), owning: make(map[types.Object]bool), kept: make(map[types.Object]bool),
		filled: make(map[types.Object]fill),
	}
	p.collect()
	p.collectOwners()
	return p
}

// collect finds the functions that acquire or release, or call one that does, and the pools that
// something is put into.
func (p *Package) collect() {
	callers := make(map[*ssa.Function][]*ssa.Function)
	var queue []*ssa.Function
	add := func(fn *ssa.Function) {
		if !p.pooling[fn] {
			p.pooling[fn] = true
			queue = append(queue, fn)
		}
	}
	for _, fn := range p.Functions {
		if fn.Parent() != nil {
			callers[fn] = append(callers[fn], fn.Parent())
		}
		for i := range ir.Instructions(fn) {
			if fa, ok := i.(*ssa.FieldAddr); ok && !ir.Replaces(fa) {
				p.kept[ir.Field(fa)] = true
			}
			if store, ok := i.(*ssa.Store); ok {
				p.fills(store)
			}
			call, ok := i.(ssa.CallInstruction)
			if !ok {
				continue
			}
			c := call.Common()
			if callee := ir.Callee(c); callee != nil && len(callee.Blocks) > 0 {
				callers[callee] = append(callers[callee], fn)
			}
			row := p.row(c)
			if row == nil {
				continue
			}
			for _, e := range row.Effects {
				switch e.Op {
				case api.Release:
					if pool := p.poolOf(c, row); pool != nil {
						p.puts[pool] = true
					} else if args := ir.Args(c); e.Arg < len(args) {
						p.puts[args[e.Arg].Type().String()] = true
						p.puts[row.Family] = true
					}
					add(fn)
				case api.Acquire, api.Share, api.Consume, api.Disown:
					add(fn)
				}
			}
		}
	}
	for len(queue) > 0 {
		fn := queue[0]
		queue = queue[1:]
		for _, c := range callers[fn] {
			add(c)
		}
	}
}

// A fill says what a field is made to point to: buffers that are made for it, or what is somebody else's.
type fill struct{ made, others bool }

// fills notes what a store makes a field point to.
func (p *Package) fills(store *ssa.Store) {
	fa, ok := store.Addr.(*ssa.FieldAddr)
	if !ok || !ir.IsBuffer(ir.Field(fa).Type()) {
		return
	}
	f := p.filled[ir.Field(fa)]
	switch v := store.Val.(type) {
	case *ssa.Const: // nil
	case *ssa.Alloc:
		f.made = true
	case *ssa.Call:
		fn := ir.Declared(&v.Call)
		made := fn != nil && fn.Pkg() != nil && (fn.Pkg().Path() == "bytes" || fn.Pkg().Path() == "bufio")
		f.made, f.others = f.made || made, f.others || !made
	default:
		f.others = true
	}
	p.filled[ir.Field(fa)] = f
}

// hasOwn reports whether a field points to a buffer that is made for it alone.
//
// Fixtures: oct002/embedded.go.
func (p *Package) hasOwn(field *types.Var) bool {
	return p.filled[field].made && !p.filled[field].others && (!field.Exported() || field.Embedded())
}

// collectOwners finds the functions that release a parameter, and those that release what is in a field of
// one, directly or by another of these. Of the latter it keeps methods such as Close or Release, if they are
// the only one of their type: otherwise the fields are given back in other ways, too.
func (p *Package) collectOwners() {
	gives := make(map[*ssa.Function]int) // which parameter a function releases
	of := make(map[types.Object][]*ssa.Function)
	for changed := true; changed; {
		changed = false
		for _, fn := range p.Functions {
			for i := range ir.Instructions(fn) {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				v := p.given(call.Common(), gives)
				if v == nil {
					continue
				}
				param, path := ir.Origin(v)
				k := slices.Index(fn.Params, param)
				_, known := gives[fn]
				switch {
				case k < 0:
				case path == "" && !known:
					gives[fn] = k
					changed = true
				case strings.Count(path, ".") == 1 && !slices.Contains(p.owners[fn], path):
					if p.owners[fn] == nil {
						name := ir.TypeName(param.Type())
						of[name] = append(of[name], fn)
					}
					p.owners[fn] = append(p.owners[fn], path)
					changed = true
				}
			}
		}
	}
	for name, fns := range of {
		if fn := fns[0]; len(fns) == 1 && fn.Signature.Recv() != nil && len(fn.Params) == 1 && ir.Releasing(fn.Name()) && name != nil {
			p.owning[name] = true
			continue
		}
		for _, fn := range fns {
			delete(p.owners, fn)
		}
	}
}

// given returns the argument that c releases, nil if there is none. The functions in gives release one.
func (p *Package) given(c *ssa.CallCommon, gives map[*ssa.Function]int) ssa.Value {
	arg, ok := gives[ir.Callee(c)]
	if row := p.row(c); row != nil {
		for _, e := range row.Effects {
			if e.Op == api.Release {
				arg, ok = e.Arg, true
			}
		}
	}
	if args := ir.Args(c); ok && arg < len(args) {
		return args[arg]
	}
	return nil
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
		if !c.IsInvoke() && c.StaticCallee() == nil {
			return p.DeclaredType(c)
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

func (p *Package) shape(fn *ssa.Function) *ir.Shape {
	sh := p.shapes[fn]
	if sh == nil {
		sh = ir.NewShape(fn)
		p.shapes[fn] = sh
	}
	return sh
}
