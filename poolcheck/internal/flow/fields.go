package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// Memory in a field belongs to the struct, and some method releases it in the end. It is
// lost where that method fails before the release, where another method replaces it, and
// where no method releases it at all.

// A fieldGet is a place where memory from a pool goes into a field.
type fieldGet struct {
	e   *explorer
	obj *object
}

// An inField is memory of a field that a path through a function may lose.
type inField struct {
	obj      *object
	field    *types.Var
	at       place
	replaced bool // by other memory from a pool
}

// fieldOfInput returns the field of an input that o was found in, nil if it was found
// elsewhere.
func fieldOfInput(o *object) *types.Var {
	if o.kind != contentObject || o.parent.kind != inputObject {
		return nil
	}
	return fieldWithin(o)
}

// fieldWithin is like fieldOfInput, but includes fields of what an input leads to.
func fieldWithin(o *object) *types.Var {
	if o.kind != contentObject || o.root().kind != inputObject || o.age != 0 {
		return nil
	}
	return fieldAt(o.parent.typ, o.path)
}

// fieldAt returns the field at path of the struct that a pointer of type t points to.
func fieldAt(t types.Type, path string) *types.Var {
	elem := elemOfPointer(t)
	if elem == nil || !strings.HasPrefix(path, ".") {
		return nil
	}
	if f := fieldNamed(elem, path[1:]); f != nil {
		return f.Origin()
	}
	return nil
}

// closes reports whether fn ends the life of its receiver, by its name.
func closes(fn string) bool {
	return slices.Contains([]string{"close", "release", "free", "destroy", "dispose", "finish", "stop", "shutdown"}, strings.ToLower(fn))
}

// intoField notes that v, which is stored in the cell c, is memory from a pool.
func (e *explorer) intoField(s *state, c cell, v value, at place) {
	o := v.identity()
	if o == nil || o.acq == nil || !s.status[o].owned || s.status[o].phase != live {
		return
	}
	f := fieldAt(c.obj.typ, c.path)
	if f == nil {
		return
	}
	if !slices.ContainsFunc(e.fieldGets[f], func(g fieldGet) bool { return g.obj == o }) {
		e.fieldGets[f] = append(e.fieldGets[f], fieldGet{e, o})
	}
	// A method that has just used the old memory knows that there is some.
	old := s.mem[c].identity()
	if old != nil && fieldOfInput(old) == f && slices.ContainsFunc(e.touches[old], func(p place) bool { return dominates(p.chain()[0].instr, at.chain()[0].instr) }) {
		e.replacing[old] = at
	}
}

// dominates reports whether every path to b passes a.
func dominates(a, b ssa.Instruction) bool {
	if a.Block() != b.Block() {
		return a.Block().Dominates(b.Block())
	}
	return slices.Index(a.Block().Instrs, a) < slices.Index(b.Block().Instrs, b)
}

// outOfField notes that o is released.
func (e *explorer) outOfField(o *object) {
	if o.acq != nil {
		e.freed[o.acq.call] = true
	}
	if f := fieldWithin(o); f != nil {
		if e.fieldFrees[f] == nil {
			e.fieldFrees[f] = make(map[*ssa.Function]bool)
		}
		e.fieldFrees[f][e.fn] = true
	}
}

// leftInFields returns what paths through the function lose that was in fields of its
// inputs.
func (e *explorer) leftInFields(exits []exit) []inField {
	var lost []inField
	for _, o := range slices.Clone(e.order) {
		f := fieldOfInput(o)
		if f == nil {
			continue
		}
		closing := e.frees[o] > 0 && e.fn.Signature.Recv() != nil && closes(e.fn.Name())
		at, replaced := e.replacing[o]
		if !closing && (!replaced || e.frees[o] > 0) {
			continue
		}
		for _, x := range exits {
			s, st := x.state, x.state.status[o]
			returned := slices.ContainsFunc(x.results, func(v value) bool { return v.leadsTo(o) })
			if returned || st.phase != live || st.shared() || len(st.tasks) > 0 || s.known[o].kind == isNil {
				continue
			}
			now := s.mem[cell{o.parent, o.path}].identity()
			switch {
			case closing && s.there(o) && !st.judged && failsEarly(x.ret):
				lost = append(lost, inField{obj: o, field: f, at: e.at(x.ret)})
			case replaced && !s.there(o) && now != nil && now.acq != nil:
				lost = append(lost, inField{obj: o, field: f, at: at, replaced: true})
			default:
				continue
			}
			break
		}
	}
	return lost
}

// failsEarly reports whether ret returns the error of a call that a branch before has
// found to be one.
func failsEarly(ret *ssa.Return) bool {
	for _, call := range failed(ret) {
		if call.Parent() != ret.Parent() {
			continue
		}
		for b := ret.Block(); b.Idom() != nil; b = b.Idom() {
			if isErrorBranch(b.Idom(), b, call) {
				return true
			}
		}
	}
	return false
}

// isErrorBranch reports whether b ends with a branch that goes to succ where the call has
// returned an error.
func isErrorBranch(b, succ *ssa.BasicBlock, call ssa.CallInstruction) bool {
	last, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return false
	}
	cond, ok := last.Cond.(*ssa.BinOp)
	if !ok || !isError(cond.X.Type()) {
		return false
	}
	x := cond.X
	if ext, ok := x.(*ssa.Extract); ok {
		x = ext.Tuple
	}
	nilConst, ok := cond.Y.(*ssa.Const)
	return ok && nilConst.IsNil() && x == call.Value() &&
		(cond.Op == token.NEQ && b.Succs[0] == succ || cond.Op == token.EQL && b.Succs[1] == succ)
}

// lostFields returns the reports on the memory that fn loses in fields. If another
// function releases the field, too, it may well run after a Close that failed.
func (p *Package) lostFields(fn *ssa.Function) []*Report {
	var reports []*Report
	for _, l := range p.inFields[fn] {
		frees := p.fieldFrees[l.field]
		if len(frees) == 0 {
			continue
		}
		if !l.replaced {
			elsewhere := false
			for other := range frees {
				elsewhere = elsewhere || other != fn && !p.onlyCalledBy(other, fn) || defers(fn, other, l.at.level(0).instr)
			}
			if elsewhere {
				continue
			}
		}
		reports = append(reports, &Report{
			Code: MissingRelease, Pos: l.at.level(0).pos, Name: l.field.Name(), Type: l.field.Type(), Replaced: l.replaced, LeftBy: fn.Name(), object: l.obj,
		})
	}
	return reports
}

// onlyCalledBy reports whether the package calls fn, and from the function by alone.
func (p *Package) onlyCalledBy(fn, by *ssa.Function) bool {
	callers, obj := p.callers[fn], fn.Object()
	return len(callers) > 0 && (obj == nil || !obj.Exported()) &&
		!slices.ContainsFunc(callers, func(f *ssa.Function) bool { return f != by })
}

// defers reports whether fn has deferred the literal lit on every path to at.
func defers(fn, lit *ssa.Function, at ssa.Instruction) bool {
	if lit.Parent() != fn {
		return false
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if d, ok := instr.(*ssa.Defer); ok && d.Call.StaticCallee() == lit && dominates(d, at) {
				return true
			}
		}
	}
	return false
}

// NeverReleased returns a report for each field in which memory from a pool is stored and
// never released, although the struct has a method that ends it, such as Close.
func (p *Package) NeverReleased(fns []*ssa.Function) []*Report {
	if len(p.fieldGets) == 0 {
		return nil
	}
	open := make(map[*types.Var]bool)
	for _, fn := range fns {
		p.collectOpen(fn, open)
	}
	var reports []*Report
	for f, gets := range p.fieldGets {
		if open[f] || f.Exported() {
			continue
		}
		for _, g := range gets {
			if closer := p.closerOf(f); closer != "" && !p.freed[g.obj.acq.call] && g.obj.acq.pool.find().put && isBuffer(g.obj.typ) {
				if r := g.e.newReport(MissingRelease, g.obj, g.obj.at, nowhere); r != nil {
					r.LeftBy = closer
					reports = append(reports, r)
				}
			}
		}
	}
	slices.SortFunc(reports, func(a, b *Report) int { return int(a.Pos - b.Pos) })
	return slices.CompactFunc(reports, func(a, b *Report) bool { return a.Pos == b.Pos })
}

// closerOf returns the name of the method that ends a struct with the field f, "" if
// there is none, or if such structs are pooled themselves.
func (p *Package) closerOf(f *types.Var) string {
	for _, name := range p.types.Scope().Names() {
		tn, ok := p.types.Scope().Lookup(name).(*types.TypeName)
		if !ok || fieldNamed(tn.Type(), f.Name()) != f || p.putTypes[tn] {
			continue
		}
		named, ok := types.Unalias(tn.Type()).(*types.Named)
		for i := 0; ok && i < named.NumMethods(); i++ {
			if closes(named.Method(i).Name()) {
				return named.Method(i).Name()
			}
		}
	}
	return ""
}

// collectOpen notes the fields whose memory fn gives to anything that may release it, and
// those that it takes the address of.
func (p *Package) collectOpen(fn *ssa.Function, open map[*types.Var]bool) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			switch i := instr.(type) {
			case *ssa.FieldAddr:
				if f := fieldOf(i); len(p.fieldGets[f]) > 0 && !open[f] {
					open[f] = slices.ContainsFunc(*i.Referrers(), func(use ssa.Instruction) bool {
						switch use := use.(type) {
						case *ssa.UnOp:
							return !p.onlyBorrows(use, f, 0)
						case *ssa.Store:
							return use.Addr != i
						case *ssa.DebugRef:
							return false
						}
						return true
					})
				}
			case *ssa.Field:
				open[i.X.Type().Underlying().(*types.Struct).Field(i.Field).Origin()] = true
			}
		}
	}
}

// onlyBorrows reports whether what is done to v, memory in the field f, leaves it there.
func (p *Package) onlyBorrows(v ssa.Value, f *types.Var, depth int) bool {
	return depth < 4 && !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
		switch use := use.(type) {
		case *ssa.DebugRef, *ssa.BinOp, *ssa.IndexAddr, *ssa.FieldAddr:
			return false
		case *ssa.UnOp, *ssa.Slice, *ssa.MakeInterface, *ssa.ChangeInterface:
			return !p.onlyBorrows(use.(ssa.Value), f, depth+1)
		case ssa.CallInstruction:
			if b, ok := use.Common().Value.(*ssa.Builtin); ok {
				return b.Name() == "append" && !p.onlyBorrows(use.Value(), f, depth+1)
			}
			callee := use.Common().StaticCallee()
			if callee == nil || callee.Pkg == nil || callee.Object() == nil || !api.Standard(callee.Pkg.Pkg.Path()) {
				return true
			}
			row := p.table[Name(callee.Object().(*types.Func))]
			return row != nil && slices.ContainsFunc(row.Effects, func(x api.Effect) bool {
				switch x.Op {
				case api.View, api.Read, api.Fill, api.Empty, api.Hold, api.Nil, api.NonNil:
					return false
				}
				return true
			})
		case *ssa.Store:
			// Back into a field, as by w.buf = append(w.buf, p...).
			fa, ok := use.Addr.(*ssa.FieldAddr)
			return use.Val != v || !ok || fieldOf(fa) != f
		}
		return true
	})
}
