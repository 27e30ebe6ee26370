package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Memory in a field may be used by one goroutine while another releases it. A goroutine that
// loops uses the fields of its struct until it ends: a method such as Close that releases what is
// in one of them, and does not wait for the goroutine, takes the memory from under its hands. So
// does the Close of a net.Conn, which may be called while its Read runs, and whoever replaces
// what an atomic.Pointer has, which others may have loaded.

// UsedWhile returns the reports on such releases, among those of fns.
func (p *Package) UsedWhile(fns []*ssa.Function) []*Report {
	if len(p.fieldFrees) == 0 {
		return nil
	}
	reports := append(p.closedConns(), p.replacedAtomics()...)
	for _, fn := range fns {
		for instr := range instructions(fn) {
			start, ok := instr.(*ssa.Go)
			if !ok {
				continue
			}
			loop := start.Call.StaticCallee()
			if loop == nil || len(loop.Blocks) == 0 || loop.Pkg != fn.Pkg {
				continue
			}
			for f := range p.fieldFrees {
				if slices.ContainsFunc(start.Call.Args, func(a ssa.Value) bool { return hasField(a.Type(), f, 0) }) || captures(start.Call.Value, f) {
					reports = append(reports, p.closedUnder(loop, f)...)
				}
			}
		}
	}
	slices.SortFunc(reports, func(a, b *Report) int { return int(a.Pos - b.Pos) })
	return slices.CompactFunc(reports, func(a, b *Report) bool { return a.Pos == b.Pos })
}

// captures reports whether v is a function literal that has captured a struct with the field f.
func captures(v ssa.Value, f *types.Var) bool {
	lit, ok := v.(*ssa.MakeClosure)
	return ok && slices.ContainsFunc(lit.Bindings, func(b ssa.Value) bool { return hasField(b.Type(), f, 0) })
}

// hasField reports whether the struct that t is, or points to, has the field f, or one that leads
// to a struct that has.
func hasField(t types.Type, f *types.Var, depth int) bool {
	for elemOfPointer(t) != nil {
		t = elemOfPointer(t)
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok || depth > 3 {
		return false
	}
	for x := range st.Fields() {
		if x.Origin() == f || hasField(x.Type(), f, depth+1) {
			return true
		}
	}
	return false
}

// closedConns returns the reports on the Close methods of net.Conns that release what their Read
// or Write methods use.
func (p *Package) closedConns() []*Report {
	k := slices.IndexFunc(p.types.Imports(), func(pkg *types.Package) bool { return pkg.Path() == "net" })
	if k < 0 {
		return nil
	}
	conn, ok := p.types.Imports()[k].Scope().Lookup("Conn").Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	var reports []*Report
	for _, name := range p.types.Scope().Names() {
		tn, ok := p.types.Scope().Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) {
			continue
		}
		t := types.NewPointer(tn.Type())
		if named, ok := tn.Type().(*types.Named); !ok || named.TypeParams().Len() > 0 || !types.Implements(t, conn) {
			continue
		}
		closes := p.promoted(t, "Close")
		if closes == nil || p.mayWait(closes) || callsLock(closes) {
			continue
		}
		ends := callees(closes)
		for f, frees := range p.fieldFrees {
			for fn, pos := range frees {
				if !ends[fn] || !pos.IsValid() || !sameReceiver(fn, closes) {
					continue
				}
				for _, method := range []string{"Read", "Write"} {
					if uses := p.promoted(t, method); uses != nil && mentions(uses, f, true) {
						reports = append(reports, &Report{Code: RaceAfterRelease, Pos: pos, Name: f.Name(), Type: f.Type(), Why: UsedBy, By: method})
						break
					}
				}
			}
		}
	}
	return reports
}

// promoted returns the body of the method of t that has a name, be it of t itself or of a field;
// nil if it is not here.
func (p *Package) promoted(t types.Type, name string) *ssa.Function {
	sel := p.prog.MethodSets.MethodSet(t).Lookup(p.types, name)
	if sel == nil {
		return nil
	}
	return p.body(sel.Obj().(*types.Func).Origin())
}

// replacedAtomics returns the reports on what an atomic.Pointer had when it is released, although
// another function that has loaded it goes on reading it.
func (p *Package) replacedAtomics() []*Report {
	var reports []*Report
	for f, frees := range p.fieldFrees {
		named, ok := types.Unalias(f.Type()).(*types.Named)
		if !ok || named.Obj().Pkg() == nil || named.Obj().Pkg().Path() != "sync/atomic" || named.Obj().Name() != "Pointer" ||
			len(p.countersOf(types.NewPointer(named.TypeArgs().At(0)))) > 0 {
			continue
		}
		reader := p.readerOf(f)
		if reader == nil {
			continue
		}
		for fn, pos := range frees {
			if pos.IsValid() && !p.mayWait(fn) && !takesLock(fn) {
				reports = append(reports, &Report{Code: RaceAfterRelease, Pos: pos, Name: f.Name(), Type: f.Type(), Why: UsedBy, By: reader.Name()})
			}
		}
	}
	return reports
}

// readerOf returns a function that reads what the atomic.Pointer f points to, without a lock, nil
// if there is none.
func (p *Package) readerOf(f *types.Var) *ssa.Function {
	for _, addr := range p.usesOf().of[f] {
		fa, ok := addr.(*ssa.FieldAddr)
		if !ok || takesLock(fa.Parent()) {
			continue
		}
		for _, use := range *fa.Referrers() {
			load, ok := use.(*ssa.Call)
			if ok && calleeName(load) == "Load" && slices.ContainsFunc(*load.Referrers(), readsThrough) {
				return fa.Parent()
			}
		}
	}
	return nil
}

// readsThrough reports whether instr reads what a pointer that it is given points to.
func readsThrough(instr ssa.Instruction) bool {
	switch i := instr.(type) {
	case *ssa.FieldAddr:
		return isRead(i)
	case *ssa.UnOp:
		return i.Op == token.MUL
	case *ssa.Call:
		return i.Call.Signature().Recv() != nil
	}
	return false
}

// closedUnder returns the reports on methods that release what is in the field f while the
// goroutine loop uses it.
func (p *Package) closedUnder(loop *ssa.Function, f *types.Var) []*Report {
	runs := callees(loop)
	if !usesInLoop(loop, f) {
		return nil
	}
	for fn := range p.fieldFrees[f] {
		if runs[fn] {
			return nil // the goroutine does that itself
		}
	}
	var reports []*Report
	for fn, pos := range p.fieldFrees[f] {
		if fn.Signature.Recv() == nil || !isEnd(fn.Name()) || !pos.IsValid() || p.mayWait(fn) || callsLock(fn) {
			continue
		}
		reports = append(reports, &Report{Code: RaceAfterRelease, Pos: pos, Name: f.Name(), Type: f.Type(), Why: UsedBy, By: loop.Name()})
	}
	return reports
}

// usesInLoop reports whether fn has a loop in which it reads what is in the field f, or calls
// a function that does.
func usesInLoop(fn *ssa.Function, f *types.Var) bool {
	return slices.ContainsFunc(fn.Blocks, func(b *ssa.BasicBlock) bool {
		return reaches(b, b) && slices.ContainsFunc(b.Instrs, func(instr ssa.Instruction) bool {
			switch i := instr.(type) {
			case *ssa.FieldAddr:
				return fieldOf(i) == f && isRead(i)
			case *ssa.Call:
				callee := i.Call.StaticCallee()
				return callee != nil && callee.Pkg == fn.Pkg && mentions(callee, f, true)
			}
			return false
		})
	})
}

// callsLock reports whether fn takes a lock, or settles by an atomic who is first, or last.
func callsLock(fn *ssa.Function) bool {
	return takesLock(fn) || somewhere(fn, func(instr ssa.Instruction) bool {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return false
		}
		callee := call.Common().StaticCallee()
		return callee != nil && callee.Pkg != nil && callee.Pkg.Pkg.Path() == "sync/atomic"
	})
}

// takesLock reports whether fn, or a function that it calls, takes a lock.
func takesLock(fn *ssa.Function) bool {
	return somewhere(fn, func(instr ssa.Instruction) bool {
		call, ok := instr.(ssa.CallInstruction)
		return ok && (calleeName(call) == "Lock" || calleeName(call) == "RLock")
	})
}
