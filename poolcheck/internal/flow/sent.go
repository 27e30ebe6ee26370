package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// What was sent over a channel belongs to whoever receives it. If every function of the
// package that receives from the channel releases what it gets, on all paths, the function
// that sent it may not use it any more, nor leave it where it is found later: the receiver
// runs beside it.

// A handoff is memory that was used, or left reachable, after it was sent.
type handoff struct {
	report   *Report
	channels []any      // it went over one of these
	field    *types.Var // that still shows it, nil for a use
}

// A receipt is a place where something comes out of a channel.
type receipt struct {
	fn    *ssa.Function
	value ssa.Value
}

// collectReceipts notes what fn receives, and which channels it gives to code that may
// receive as well.
func (p *Package) collectReceipts(fn *ssa.Function) {
	note := func(ch, v ssa.Value) {
		if v == nil || len(*v.Referrers()) == 0 {
			return
		}
		for _, c := range p.channels(ch, maxDepth) {
			p.receipts[c] = append(p.receipts[c], receipt{fn, v})
		}
	}
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if v, ok := instr.(ssa.Value); ok && isChannel(v.Type()) && !p.onlyPassed(v) {
				note(v, v)
			}
			switch i := instr.(type) {
			case *ssa.Store:
				_, made := i.Val.(*ssa.MakeChan)
				if f := storedIn(place{instr: i}); f != nil && !made && isChannel(i.Val.Type()) {
					p.receipts[f] = append(p.receipts[f], receipt{fn, i.Val}) // it has another name, too
				}
			case *ssa.UnOp:
				switch {
				case i.Op != token.ARROW:
				case i.CommaOk:
					note(i.X, extracted(i, 0))
				default:
					note(i.X, i)
				}
			case *ssa.Select:
				for k, st := range receives(i) {
					note(st.Chan, extracted(i, 2+k))
				}
			}
		}
	}
}

func isChannel(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
}

// onlyPassed reports whether the channel v is only sent to, received from and closed, or
// passed to functions of the package that do.
func (p *Package) onlyPassed(v ssa.Value) bool {
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.Send:
			if use.X == v {
				return false
			}
		case *ssa.Select:
			if slices.ContainsFunc(use.States, func(st *ssa.SelectState) bool { return st.Send == v }) {
				return false
			}
		case *ssa.UnOp, *ssa.BinOp, *ssa.DebugRef:
		case *ssa.ChangeType:
			if !p.onlyPassed(use) {
				return false
			}
		case *ssa.Store:
			if _, field := use.Addr.(*ssa.FieldAddr); use.Val == v && !field && p.variableOf(use.Addr) == nil {
				return false
			}
		case ssa.CallInstruction:
			callee := use.Common().StaticCallee()
			_, builtin := use.Common().Value.(*ssa.Builtin)
			if !builtin && (callee == nil || callee.Pkg != use.Parent().Pkg) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// extracted returns element k of tuple, nil if nothing takes it.
func extracted(tuple ssa.Value, k int) ssa.Value {
	for _, use := range *tuple.Referrers() {
		if x, ok := use.(*ssa.Extract); ok && x.Index == k {
			return x
		}
	}
	return nil
}

// channels returns what tells the channels that v may be from others: the field or variable
// that each is in, or what makes it. It is nil if that is not known.
func (p *Package) channels(v ssa.Value, depth int) []any {
	if obj := placeOf(v); obj != nil {
		return []any{obj}
	}
	switch v := v.(type) {
	case *ssa.MakeChan:
		return []any{v}
	case *ssa.ChangeType:
		return p.channels(v.X, depth)
	case *ssa.UnOp:
		if a := p.variableOf(v.X); a != nil {
			return []any{a}
		}
	case *ssa.Parameter:
		if depth > 0 {
			return p.arguments(v, depth-1)
		}
	}
	return nil
}

// arguments returns the channels that the callers in the package give the parameter v.
func (p *Package) arguments(v *ssa.Parameter, depth int) []any {
	var all []any
	k := slices.Index(v.Parent().Params, v)
	for _, call := range p.usesOf().calls[v.Parent()] {
		some := p.channels(call.Common().Args[k], depth)
		if some == nil {
			return nil
		}
		all = append(all, some...)
	}
	return all
}

// variableOf returns the local variable that addr is the address of, seen from the function
// that declares it, nil if it is something else.
func (p *Package) variableOf(addr ssa.Value) any {
	for {
		fv, ok := addr.(*ssa.FreeVar)
		if !ok {
			break
		}
		fn := fv.Parent()
		k := slices.Index(fn.FreeVars, fv)
		addr = nil
		if fn.Parent() == nil {
			break // a wrapper
		}
		for _, use := range *fn.Referrers() {
			if mc, ok := use.(*ssa.MakeClosure); ok {
				addr = mc.Bindings[k]
			}
		}
	}
	switch v := addr.(type) {
	case *ssa.Alloc, *ssa.MakeChan:
		return v
	}
	return nil
}

// storedIn returns the field that something was stored in at the place at, or in a list or
// map there, nil if it was none.
func storedIn(at place) *types.Var {
	var obj types.Object
	switch i := at.instr.(type) {
	case *ssa.Store:
		obj = addressed(i.Addr)
	case *ssa.MapUpdate:
		obj = placeOf(i.Map)
	}
	if f, ok := obj.(*types.Var); ok && f.IsField() {
		return f
	}
	return nil
}

// sentOver returns the channel that the memory went over that was sent at the place at.
func sentOver(at place) ssa.Value {
	switch i := at.instr.(type) {
	case *ssa.Send:
		return i.Chan
	case *ssa.Select:
		for _, st := range i.States {
			if st.Dir == types.SendOnly && st.Pos == at.pos {
				return st.Chan
			}
		}
	}
	return nil
}

// afterSend notes that o, which was sent before, is used at the place at, or shown by the
// field there.
func (e *explorer) afterSend(s *state, o *object, at place, field *types.Var) {
	ch := sentOver(s.status[o].at)
	if e.muted || ch == nil || o.acq == nil || o.age != 0 || !e.relevant(o) || locks(o.typ) || len(e.countersOf(o.typ)) > 0 {
		return
	}
	elem := ch.Type().Underlying().(*types.Chan).Elem()
	channels := e.channels(ch, maxDepth)
	if len(channels) == 0 || o.typ == nil || !types.Identical(elem, o.typ) {
		return
	}
	code := RaceAfterRelease
	if field != nil {
		code = AliasEscape
	}
	known := func(h handoff) bool { return h.report.object == o && h.report.Code == code }
	if r := e.newReport(code, o, at, s.status[o].at); r != nil && !slices.ContainsFunc(e.handoffs, known) {
		r.Why = Sent
		e.handoffs = append(e.handoffs, handoff{r, channels, field})
	}
}

// locks reports whether what t points to has a lock: who receives it may wait for that.
func locks(t types.Type) bool {
	elem := elemOfPointer(t)
	if elem == nil {
		return false
	}
	st, ok := elem.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for f := range st.Fields() {
		if name := f.Type().String(); name == "sync.Mutex" || name == "sync.RWMutex" || name == "sync.WaitGroup" {
			return true
		}
	}
	return false
}

// received notes which of what the function receives it releases on every path.
func (e *explorer) received() {
	for o := range e.frees {
		if o.taken && o.in == nil && len(e.leaks[o]) == 0 && !e.doubted[o] {
			e.releasing[o.site] = true
		}
	}
}

// afterSending returns the reports on what fn uses, or leaves reachable, after sending it to
// functions that all release it. One that looks at the field may take it out of there before.
func (p *Package) afterSending(fn *ssa.Function) []*Report {
	var reports []*Report
	for _, h := range p.handoffs[fn] {
		keeps := slices.ContainsFunc(h.channels, func(c any) bool { return p.mayKeep(c, h.field) })
		if !keeps {
			reports = append(reports, h.report)
		}
	}
	return reports
}

// mayKeep reports whether somebody may keep what comes out of the channel c, or take it out of
// the field before it is released.
func (p *Package) mayKeep(c any, field *types.Var) bool {
	if obj, ok := c.(types.Object); ok && obj.Exported() || len(p.receipts[c]) == 0 {
		return true
	}
	return slices.ContainsFunc(p.receipts[c], func(r receipt) bool {
		return !p.releasing[r.value] || field != nil && mentions(r.fn, field, false)
	})
}
