package contract

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
	"github.com/octet-go/octet/poolcheck/internal/ir"
)

// New returns a package.
func New(c Config) *Package {
	p := &Package{
		Config: c, poolPackages: c.Table.Packages(), traces: make(map[*ssa.Function]*Trace), pooling: make(map[*ssa.Function]bool),
		waiting: make(map[*ssa.Function]bool), puts: make(map[any]bool), borrows: make(map[any]bool), owners: make(map[*ssa.Function][]string),
		perhaps: make(map[*ssa.Function][]string), gives: make(map[*ssa.Function]int), owning: make(map[types.Object]bool),
		kept: make(map[types.Object]bool), filled: make(map[types.Object]fill),
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
				case api.Acquire, api.Share, api.Consume, api.Disown, api.Turn, api.Window:
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

// collectOwners finds the functions that release a parameter, and those that release what is in a field of
// one, directly or by another of these. Of the latter it keeps methods such as Close or Release, if they are
// the only one of their type: otherwise the fields are given back in other ways, too.
func (p *Package) collectOwners() {
	of := make(map[types.Object][]*ssa.Function)
	for changed := true; changed; {
		changed = false
		for _, fn := range p.Functions {
			for i := range ir.Instructions(fn) {
				call, ok := i.(ssa.CallInstruction)
				if !ok {
					continue
				}
				v := p.given(call.Common())
				if v == nil {
					continue
				}
				param, path := ir.Origin(v)
				k := slices.Index(fn.Params, param)
				_, known := p.gives[fn]
				switch {
				case k < 0:
				case path == "" && !known:
					p.gives[fn] = k
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
	for _, fn := range p.Functions {
		for i := range ir.Instructions(fn) {
			call, ok := i.(ssa.CallInstruction)
			if !ok || p.owners[ir.Callee(call.Common())] == nil || fn.Signature.Recv() == nil {
				continue
			}
			if param, path := ir.Origin(ir.Args(call.Common())[0]); param == fn.Params[0] && path == "" {
				p.perhaps[fn] = p.owners[ir.Callee(call.Common())]
			}
		}
	}
}

// given returns the argument that c releases, nil if there is none.
func (p *Package) given(c *ssa.CallCommon) ssa.Value {
	arg, ok := p.gives[ir.Callee(c)]
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
