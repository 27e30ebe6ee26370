package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// A struct may count the references to it, with a method that takes one back and releases the
// struct with the last. Where a function does not know how many there are, it has one: what the
// method takes back is the function's, whoever else has others.

// A counter is a method that changes the number of references to its receiver.
type counter struct {
	field *types.Var // that counts
	op    api.Op     // Release for one reference less, Share for one more
}

// counterOf returns what fn does to the number of references to its receiver, nil if it does
// nothing, or something else as well.
func (p *Package) counterOf(fn *ssa.Function) *counter {
	if fn.Signature.Recv() == nil || len(fn.Params) != 1 {
		return nil
	}
	return p.countersOf(fn.Params[0].Type())[fn]
}

// countersOf returns the counters among the methods of what t points to. There are none if some
// method takes a reference back and leaves the release to others.
func (p *Package) countersOf(t types.Type) map[*ssa.Function]*counter {
	named, ok := types.Unalias(elemOfPointer(t)).(*types.Named)
	if !ok {
		return nil
	}
	if known, ok := p.counters[named.Obj()]; ok {
		return known
	}
	p.counters[named.Obj()] = nil // while it is looked at
	found := make(map[*ssa.Function]*counter)
	releases := false
	for _, fn := range p.all {
		if fn.Signature.Recv() == nil || len(fn.Params) == 0 || !types.Identical(fn.Params[0].Type(), t) {
			continue
		}
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				switch field, delta := countedBy(fn.Params[0], instr); {
				case field == nil || delta == 0:
				case found[fn] != nil, len(fn.Params) > 1, delta < -1, delta > 1, delta == -1 && !p.releasesSelf(fn):
					return nil
				case delta == 1:
					found[fn] = &counter{field, api.Share}
				default:
					found[fn] = &counter{field, api.Release}
					releases = true
				}
			}
		}
	}
	if releases {
		p.counters[named.Obj()] = found
	}
	return p.counters[named.Obj()]
}

// countedBy returns the field of self, a struct, that instr adds a number to, and the number,
// nil if instr does something else.
func countedBy(self ssa.Value, instr ssa.Instruction) (*types.Var, int64) {
	number := func(v ssa.Value) int64 {
		if k, ok := v.(*ssa.Const); ok && k.Value != nil && isInteger(k.Type()) {
			return k.Int64()
		}
		return 0
	}
	switch i := instr.(type) {
	case *ssa.Call:
		callee := i.Call.StaticCallee()
		if callee == nil || callee.Pkg == nil || callee.Pkg.Pkg.Path() != "sync/atomic" || len(i.Call.Args) != 2 {
			return nil, 0
		}
		fa, ok := i.Call.Args[0].(*ssa.FieldAddr)
		if name := callee.Name(); ok && fa.X == self && (name == "Add" || name == "AddInt32" || name == "AddInt64") {
			return fieldOf(fa), number(i.Call.Args[1])
		}
	case *ssa.Store:
		fa, ok := i.Addr.(*ssa.FieldAddr)
		sum, isSum := i.Val.(*ssa.BinOp)
		if !ok || !isSum || fa.X != self {
			return nil, 0
		}
		load, ok := sum.X.(*ssa.UnOp)
		if from, same := load, ok; same {
			if a, ok := from.X.(*ssa.FieldAddr); !ok || fieldOf(a) != fieldOf(fa) {
				return nil, 0
			}
		} else {
			return nil, 0
		}
		switch sum.Op {
		case token.ADD:
			return fieldOf(fa), number(sum.Y)
		case token.SUB:
			return fieldOf(fa), -number(sum.Y)
		}
	}
	return nil, 0
}

// releasesSelf reports whether fn releases its receiver in some way of ending.
func (p *Package) releasesSelf(fn *ssa.Function) bool {
	sum := p.summary(fn)
	return sum != nil && slices.ContainsFunc(sum.Outcomes, func(o Outcome) bool {
		return slices.ContainsFunc(o.Deeds, func(d Deed) bool { return d.Path == "0" && d.Op == api.Release })
	})
}

// counts applies the call c of fn if that changes the number of references to something of
// which it is not known how many there are. It reports whether it does.
func (e *explorer) counts(s *state, fn *ssa.Function, c *call) bool {
	if fn == nil || len(c.args) != 1 {
		return false
	}
	o := c.args[0].identity()
	if o == nil || o.acq != nil && o.kind == pooledObject {
		return false
	}
	count := e.counterOf(fn)
	if count == nil || s.knownOf(s.mem[cell{o, "." + count.field.Name()}]).kind == isConst {
		return false
	}
	e.touch(s, c.args[0], c.at)
	row := &api.Func{Family: api.SyncPool}
	switch count.op {
	case api.Release:
		e.release(s, c.args[0], giving{row, "", c.at, c.deferred, staticType(c.regs[0]), e.names.of(bare(c.regs[0]))})
	case api.Share:
		s.update(o, func(st *status) { st.owners = min(st.owners+1, 8) })
	}
	return true
}
