package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// What is in a container is dropped where a case receives it and gives it no name, and where a
// method that ends the struct empties the field.

// A filling is what functions put into a container.
type filling struct {
	typ types.Type
	by  []*ssa.Function // that have acquired it
}

// dropsAll returns a report for each function that gives up what is left, by its name, and
// empties the field c without a look at it. Of a mere list, which others fill, those who call
// such a method are to look.
func (p *Package) dropsAll(c types.Object, in *filling) []*Report {
	var reports []*Report
	drop := func(pos token.Pos) {
		reports = append(reports, &Report{Code: MissingRelease, Pos: pos, Name: c.Name(), Why: Emptied, By: c.Name()})
	}
	for _, addr := range p.usesOf().of[c] {
		fa, ok := addr.(*ssa.FieldAddr)
		if !ok || !isEnd(fa.Parent().Name()) || looksInto(fa.Parent(), c) {
			continue
		}
		for _, use := range *fa.Referrers() {
			st, ok := use.(*ssa.Store)
			switch {
			case !ok || st.Addr != fa || !isEmpty(st.Val) && !isCutToNothing(st.Val):
			case fa.Parent().Signature.Recv() == nil || slices.ContainsFunc(in.by, func(f *ssa.Function) bool { return sameReceiver(f, fa.Parent()) || p.storesIn(f, c) }):
				drop(st.Pos())
			default:
				for _, call := range p.usesOf().calls[fa.Parent()] {
					if by := call.Parent(); !sameReceiver(by, fa.Parent()) && !takesFrom(by, c) {
						drop(call.Pos())
					}
				}
			}
		}
	}
	return reports
}

// storesIn reports whether fn itself stores something in the field c.
func (p *Package) storesIn(fn *ssa.Function, c types.Object) bool {
	return slices.ContainsFunc(p.usesOf().of[c], func(v ssa.Value) bool {
		fa, ok := v.(*ssa.FieldAddr)
		return ok && fa.Parent() == fn && slices.ContainsFunc(*fa.Referrers(), func(use ssa.Instruction) bool {
			st, ok := use.(*ssa.Store)
			return ok && st.Addr == fa
		})
	})
}

// takesFrom reports whether fn, or a function that it calls, looks at an element of what is in the
// field c.
func takesFrom(fn *ssa.Function, c types.Object) bool {
	return somewhere(fn, func(instr ssa.Instruction) bool {
		switch i := instr.(type) {
		case *ssa.IndexAddr:
			return placeOf(i.X) == c && isRead(i)
		case *ssa.Lookup:
			return placeOf(i.X) == c
		case *ssa.Range:
			return placeOf(i.X) == c
		}
		return false
	})
}

// looksInto reports whether fn, or a function that it calls, does more with what is in the field c
// than to empty it.
func looksInto(fn *ssa.Function, c types.Object) bool {
	return somewhere(fn, func(instr ssa.Instruction) bool {
		fa, ok := instr.(*ssa.FieldAddr)
		if !ok || fieldOf(fa) != c {
			return false
		}
		return slices.ContainsFunc(*fa.Referrers(), func(use ssa.Instruction) bool {
			switch use := use.(type) {
			case *ssa.Store:
				return use.Addr != fa
			case *ssa.UnOp:
				return slices.ContainsFunc(*use.Referrers(), func(use ssa.Instruction) bool { return !empties(use) })
			}
			return true
		})
	})
}

// empties reports whether instr clears the list or map that it is given, cuts it to nothing, or
// asks for its length.
func empties(instr ssa.Instruction) bool {
	switch i := instr.(type) {
	case *ssa.Slice:
		return isCutToNothing(i)
	case *ssa.Call:
		b, ok := i.Call.Value.(*ssa.Builtin)
		return ok && (b.Name() == "clear" || b.Name() == "len")
	case *ssa.DebugRef:
		return true
	}
	return false
}

// isCutToNothing reports whether v is the beginning of a slice without an element.
func isCutToNothing(v ssa.Value) bool {
	cut, ok := v.(*ssa.Slice)
	return ok && cut.Low == nil && cut.High != nil && isNumber(cut.High, 0)
}

// isEmpty reports whether v is nil, a zero struct, or a map or list that was just made.
func isEmpty(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.Value == nil
	case *ssa.MakeMap:
		return true
	case *ssa.MakeSlice:
		n, ok := v.Len.(*ssa.Const)
		return ok && n.Int64() == 0
	}
	return false
}

// carriers adds to channels what memory of type t comes over when it is put into the container
// c: a channel, or a field of structs that are sent by value.
func (p *Package) carriers(c types.Object, t types.Type, channels map[types.Object]bool) {
	if ch, ok := c.Type().Underlying().(*types.Chan); ok {
		channels[c] = channels[c] || sameMemory(ch.Elem(), t)
		return
	}
	for ch := range p.usesOf().of {
		if elem, ok := ch.Type().Underlying().(*types.Chan); ok && !ch.Exported() {
			st, ok := elem.Elem().Underlying().(*types.Struct)
			channels[ch] = channels[ch] || ok && slices.Contains(slices.Collect(st.Fields()), c.(*types.Var).Origin())
		}
	}
}

// discards returns a report for each place that takes pooled memory out of the channel c and
// does nothing with it.
func (p *Package) discards(c types.Object) []*Report {
	var reports []*Report
	drop := func(pos token.Pos) {
		reports = append(reports, &Report{Code: MissingRelease, Pos: pos, Name: c.Name(), Why: Discarded, By: c.Name()})
	}
	for _, addr := range p.usesOf().of[c] {
		for _, ch := range loads(addr) {
			for _, use := range *ch.Referrers() {
				switch use := use.(type) {
				case *ssa.UnOp:
					if use.Op == token.ARROW && !use.CommaOk && unused(use) {
						drop(use.Pos())
					}
				case *ssa.Select:
					for k, st := range receives(use) {
						if x := extracted(use, 2+k); st.Chan == ch && (x == nil || unused(x)) {
							drop(st.Pos)
						}
					}
				}
			}
		}
	}
	return reports
}

// loads returns what is read from the field or variable that addr is, or is the address of.
func loads(addr ssa.Value) []ssa.Value {
	if _, ok := addr.(*ssa.Field); ok {
		return []ssa.Value{addr}
	}
	refs := addr.Referrers()
	if refs == nil {
		return nil
	}
	var list []ssa.Value
	for _, use := range *refs {
		if load, ok := use.(*ssa.UnOp); ok && load.Op == token.MUL {
			list = append(list, load)
		}
	}
	return list
}

func unused(v ssa.Value) bool {
	return !slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool { _, debug := use.(*ssa.DebugRef); return !debug })
}

// isNumber reports whether v is the constant n.
func isNumber(v ssa.Value, n int64) bool {
	k, ok := v.(*ssa.Const)
	return ok && k.Value != nil && isInteger(k.Type()) && k.Int64() == n
}
