package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Memory in a field belongs to the struct, and some method releases it in the end. It is
// lost where that method fails before the release, where another method replaces it, and
// where no method releases it at all.

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

// intoField notes that v, which is stored in the cell c, is memory from a pool.
func (e *explorer) intoField(s *state, c cell, v value, at place) {
	o, f := v.identity(), fieldAt(c.obj.typ, c.path)
	if o == nil || f == nil {
		return
	}
	if o.kind == localObject && !o.isList() && s.ownedInside(o) != nil {
		e.filling(c, f, at)
	}
	if o.acq == nil || !s.status[o].owned || s.status[o].phase != live {
		return
	}
	e.filling(c, f, at)
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

// outOfField notes that o is released at the place at: from its field, and from those of the
// structs around it that have a method to be given back.
func (e *explorer) outOfField(o *object, at place) {
	around := func(x *object) *object {
		if x.parent == nil {
			return x.list
		}
		return x.parent
	}
	seen := make(map[*object]bool) // the pages of a tree may lead to each other
	for x := o; x != nil && !seen[x]; x = around(x) {
		seen[x] = true
		f := fieldWithin(x)
		if f == nil || x != o && (x.typ == nil || !isCounted(x.typ)) {
			continue
		}
		if e.fieldFrees[f] == nil {
			e.fieldFrees[f] = make(map[*ssa.Function]token.Pos)
		}
		e.fieldFrees[f][e.fn] = at.level(0).pos
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
		closing := e.frees[o] > 0 && e.fn.Signature.Recv() != nil && isEnd(e.fn.Name())
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
			if errorBranch(b.Idom(), b) == call.Value() {
				return true
			}
		}
	}
	return false
}

// errorBranch returns the call that has returned an error where the branch that ends b goes
// to succ, nil if it is about something else.
func errorBranch(b, succ *ssa.BasicBlock) *ssa.Call {
	last, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	if !ok {
		return nil
	}
	cond, ok := last.Cond.(*ssa.BinOp)
	if !ok || !isError(cond.X.Type()) {
		return nil
	}
	x := cond.X
	if ext, ok := x.(*ssa.Extract); ok {
		x = ext.Tuple
	}
	call, ok := x.(*ssa.Call)
	nilConst, isNil := cond.Y.(*ssa.Const)
	if !ok || !isNil || !nilConst.IsNil() ||
		!(cond.Op == token.NEQ && b.Succs[0] == succ || cond.Op == token.EQL && b.Succs[1] == succ) {
		return nil
	}
	return call
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
		why := LeftBy
		if l.replaced {
			why = Replaced
		}
		reports = append(reports, &Report{
			Code: MissingRelease, Pos: l.at.level(0).pos, Name: l.field.Name(), Type: l.field.Type(), Why: why, By: fn.Name(), object: l.obj,
		})
	}
	return reports
}

// onlyCalledBy reports whether the package calls fn, and from the function by alone.
func (p *Package) onlyCalledBy(fn, by *ssa.Function) bool {
	calls, obj := p.usesOf().calls[fn], fn.Object()
	return len(calls) > 0 && (obj == nil || !obj.Exported()) &&
		!slices.ContainsFunc(calls, func(c ssa.CallInstruction) bool { return c.Parent() != by })
}

// defers reports whether fn has deferred the literal lit on every path to at.
func defers(fn, lit *ssa.Function, at ssa.Instruction) bool {
	if lit.Parent() != fn {
		return false
	}
	return does(fn, func(instr ssa.Instruction) bool {
		d, ok := instr.(*ssa.Defer)
		return ok && d.Call.StaticCallee() == lit && dominates(d, at)
	})
}
