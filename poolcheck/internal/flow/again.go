package flow

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Methods such as Read and Next may be called again whatever they have returned: a Read at
// the end returns io.EOF as often as it is asked. One that releases what is in a field, and
// leaves its receiver as it was, releases the same again. One that puts memory into a field
// without a look at what is there loses that of the call before.

// calledAgain are the names of methods that may be called again whatever they have returned.
var calledAgain = []string{
	"Read", "ReadByte", "ReadAt", "WriteTo", "Write", "WriteString", "Next", "Scan", "Flush", "String", "Len", "Decode", "Recv", "Receive",
}

// releasedAgain returns the reports on releases of what a field still has, in a method that
// may be called again.
func (e *explorer) releasedAgain(exits []exit) []*Report {
	if e.fn.Signature.Recv() == nil || !slices.Contains(calledAgain, e.fn.Name()) {
		return nil
	}
	var reports []*Report
	for _, x := range exits {
		for _, o := range sortedObjects(x.state.status) {
			st := x.state.status[o]
			if f := fieldOfInput(o); f == nil || o.parent.site != e.fn.Params[0] || st.phase != released || st.rider || !x.state.unchanged(o.parent) || !e.comesBack(o.typ) {
				continue
			}
			known := slices.ContainsFunc(reports, func(r *Report) bool { return r.object == o })
			if at := st.at.level(0).pos; !known {
				reports = append(reports, &Report{Code: DoubleRelease, Pos: at, Name: o.name(nil), Type: o.typ, Why: Repeated, By: e.fn.Name(), object: o})
			}
		}
	}
	return reports
}

// unchanged reports whether o, a struct, is live and was not written to.
func (s *state) unchanged(o *object) bool {
	if st := s.status[o]; st.phase != live {
		return false
	}
	for c := range s.stored {
		if c.obj.root() == o {
			return false
		}
	}
	for c, v := range s.mem {
		if c.obj == o && v.stale {
			return false
		}
	}
	return true
}

// filling notes that the receiver's field f gets memory from a pool at the place at.
func (e *explorer) filling(c cell, f *types.Var, at place) {
	if e.fn.Signature.Recv() == nil || c.obj.site != e.fn.Params[0] || e.muted {
		return
	}
	if e.fills[e.fn] == nil {
		e.fills[e.fn] = make(map[*types.Var]place)
	}
	e.fills[e.fn][f] = at
}

// isCalledAgain reports whether fn, a method, is called more than once on one receiver: by its
// name, or in a loop.
func (p *Package) isCalledAgain(fn *ssa.Function) bool {
	if slices.ContainsFunc(calledAgain, func(name string) bool { return strings.EqualFold(name, fn.Name()) }) {
		return true
	}
	return slices.ContainsFunc(p.usesOf().calls[fn], func(i ssa.CallInstruction) bool {
		if len(i.Common().Args) == 0 || !reaches(i.Block(), i.Block()) {
			return false
		}
		self, inside := i.Common().Args[0].(ssa.Instruction)
		return !inside || !reaches(i.Block(), self.Block())
	})
}

// filledAgain returns the reports on memory that fn puts into fields where it has put other
// memory before, if only methods that end the struct release what is there.
func (p *Package) filledAgain(fn *ssa.Function) []*Report {
	if !p.isCalledAgain(fn) {
		return nil
	}
	var reports []*Report
	for f, at := range p.fills[fn] {
		frees, store := p.fieldFrees[f], at.chain()[0].instr
		if len(frees) == 0 || p.pooledField(f) || readBefore(f, store) || conditional(store) {
			continue
		}
		elsewhere := slices.ContainsFunc(slices.Collect(maps.Keys(frees)), func(by *ssa.Function) bool { return !isEnd(by.Name()) }) ||
			slices.ContainsFunc(p.usesOf().of[f], func(v ssa.Value) bool {
				_, ended := frees[v.Parent()]
				return v.Parent() != fn && !ended && replaces(v)
			})
		if !elsewhere {
			reports = append(reports, &Report{Code: MissingRelease, Pos: at.level(0).pos, Name: f.Name(), Type: f.Type(), Why: Replaced, By: fn.Name()})
		}
	}
	return reports
}

// replaces reports whether something is stored at v, the address of a field, of a struct that
// was not just made.
func replaces(v ssa.Value) bool {
	fa, ok := v.(*ssa.FieldAddr)
	if !ok {
		return false
	}
	_, made := fa.X.(*ssa.Alloc)
	return !made && slices.ContainsFunc(*fa.Referrers(), func(use ssa.Instruction) bool {
		st, ok := use.(*ssa.Store)
		return ok && st.Addr == fa
	})
}

// readBefore reports whether the function of store may have read the field f when it comes to
// that.
func readBefore(f *types.Var, store ssa.Instruction) bool {
	return slices.ContainsFunc(store.Parent().Blocks, func(b *ssa.BasicBlock) bool {
		instrs := b.Instrs
		if b == store.Block() {
			instrs = instrs[:slices.Index(instrs, store)]
		} else if !reaches(b, store.Block()) {
			return false
		}
		return slices.ContainsFunc(instrs, func(instr ssa.Instruction) bool {
			switch i := instr.(type) {
			case *ssa.FieldAddr:
				return fieldOf(i) == f && isRead(i)
			case ssa.CallInstruction:
				callee := i.Common().StaticCallee()
				return callee != nil && callee.Pkg == store.Parent().Pkg && mentions(callee, f, true)
			}
			return false
		})
	})
}

// conditional reports whether a branch may leave instr out in later calls: one whose other side
// goes on to the code behind instr, or returns because of a field that the function itself sets,
// so that instr runs once. A branch that returns for another reason is no condition.
func conditional(instr ssa.Instruction) bool {
	fn, at := instr.Parent(), instr.Block()
	stored := make(map[*types.Var]bool)
	for i := range instructions(fn) {
		if f := storedIn(i); f != nil && !countsIn(i) {
			stored[f] = true
		}
	}
	leadsTo := func(from, to *ssa.BasicBlock) bool { return from == to || reaches(from, to) }
	for b := at.Idom(); b != nil; b = b.Idom() {
		last, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
		if !ok {
			continue
		}
		for _, other := range b.Succs {
			if leadsTo(other, at) {
				continue
			}
			goesOn := slices.ContainsFunc(fn.Blocks, func(x *ssa.BasicBlock) bool { return leadsTo(other, x) && reaches(at, x) })
			if goesOn || tests(last.Cond, stored) {
				return true
			}
		}
	}
	return false
}

// countsIn reports whether instr stores a number that it has computed.
func countsIn(instr ssa.Instruction) bool {
	st, ok := instr.(*ssa.Store)
	if !ok {
		return false
	}
	_, arithmetic := st.Val.(*ssa.BinOp)
	return arithmetic
}

// tests reports whether cond tells whether one of fields, other than an error, is set, or is a
// constant.
func tests(cond ssa.Value, fields map[*types.Var]bool) bool {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if f, ok := placeOf(c).(*types.Var); ok && c.Op == token.MUL {
			return fields[f]
		}
		return tests(c.X, fields)
	case *ssa.BinOp:
		return (c.Op == token.EQL || c.Op == token.NEQ) && !isError(c.X.Type()) && (tests(c.X, fields) || tests(c.Y, fields))
	}
	return false
}
