package flow

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A goroutine that loops uses the fields of its struct until it ends. A method such as Close
// that releases what is in one of them, and does not wait for the goroutine, takes the memory
// from under its hands.

// Closing returns the reports on such methods among fns.
func (p *Package) Closing(fns []*ssa.Function) []*Report {
	var reports []*Report
	for _, fn := range fns {
		for _, b := range fn.Blocks {
			for _, instr := range b.Instrs {
				start, ok := instr.(*ssa.Go)
				if !ok {
					continue
				}
				loop := start.Call.StaticCallee()
				if loop == nil || len(loop.Blocks) == 0 || loop.Pkg != fn.Pkg {
					continue
				}
				for f := range p.fieldFrees {
					reports = append(reports, p.closedUnder(loop, f)...)
				}
			}
		}
	}
	slices.SortFunc(reports, func(a, b *Report) int { return int(a.Pos - b.Pos) })
	return slices.CompactFunc(reports, func(a, b *Report) bool { return a.Pos == b.Pos })
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
	return somewhere(fn, func(instr ssa.Instruction) bool {
		call, ok := instr.(ssa.CallInstruction)
		if !ok {
			return false
		}
		callee := call.Common().StaticCallee()
		return calleeName(call) == "Lock" || calleeName(call) == "RLock" || callee != nil && callee.Pkg != nil && callee.Pkg.Pkg.Path() == "sync/atomic"
	})
}
