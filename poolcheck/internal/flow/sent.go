package flow

import (
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
	report  *Report
	channel types.Object // it went over this field or variable
	field   *types.Var   // that still shows it, nil for a use
}

// receipts returns what the package receives from the channel in the field or variable c, and
// whether that is all: nobody else can get hold of the channel.
func (p *Package) receipts(c types.Object) (list []ssa.Value, all bool) {
	all = !c.Exported()
	from := func(ch ssa.Value) {
		some, only := receivedFrom(ch)
		list, all = append(list, some...), all && only
	}
	for _, v := range p.usesOf().of[c] {
		var uses []ssa.Instruction
		switch v := v.(type) {
		case *ssa.Global:
			uses = p.usesOf().globals[v]
		case *ssa.FieldAddr:
			uses = *v.Referrers()
		default:
			from(v)
		}
		for _, use := range uses {
			switch use := use.(type) {
			case *ssa.DebugRef:
			case *ssa.UnOp:
				from(use)
			case *ssa.Store:
				_, made := use.Val.(*ssa.MakeChan)
				all = all && made
			default:
				all = false
			}
		}
	}
	return list, all
}

// receivedFrom returns what is received from the channel ch, and whether nothing else is done
// with it than to send, to receive and to close.
func receivedFrom(ch ssa.Value) (list []ssa.Value, only bool) {
	only = true
	for _, use := range *ch.Referrers() {
		switch use := use.(type) {
		case *ssa.DebugRef, *ssa.BinOp:
		case *ssa.UnOp:
			if use.CommaOk {
				list = append(list, extracted(use, 0))
			} else {
				list = append(list, use)
			}
		case *ssa.Select:
			for k, st := range receives(use) {
				if st.Chan == ch {
					list = append(list, extracted(use, 2+k))
				}
			}
			only = only && !slices.ContainsFunc(use.States, func(st *ssa.SelectState) bool { return st.Send == ch })
		case *ssa.Send:
			only = only && use.X != ch
		case ssa.CallInstruction:
			_, builtin := use.Common().Value.(*ssa.Builtin)
			only = only && builtin
		default:
			only = false
		}
	}
	return slices.DeleteFunc(list, func(v ssa.Value) bool { return v == nil || len(*v.Referrers()) == 0 }), only
}

func isChannel(t types.Type) bool {
	_, ok := t.Underlying().(*types.Chan)
	return ok
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

// storedIn returns the field that instr stores something in, or in a list or map there, nil
// if it does not.
func storedIn(instr ssa.Instruction) *types.Var {
	var obj types.Object
	switch i := instr.(type) {
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
	channel := placeOf(ch)
	if channel == nil || o.typ == nil || !types.Identical(ch.Type().Underlying().(*types.Chan).Elem(), o.typ) {
		return
	}
	code := RaceAfterRelease
	if field != nil {
		code = AliasEscape
	}
	known := func(h handoff) bool { return h.report.object == o && h.report.Code == code }
	if r := e.newReport(code, o, at, s.status[o].at); r != nil && !slices.ContainsFunc(e.handoffs, known) {
		r.Why = Sent
		e.handoffs = append(e.handoffs, handoff{r, channel, field})
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
		list, all := p.receipts(h.channel)
		kept := slices.ContainsFunc(list, func(v ssa.Value) bool {
			return !p.releasing[v] || h.field != nil && mentions(v.Parent(), h.field, false)
		})
		if all && len(list) > 0 && !kept {
			reports = append(reports, h.report)
		}
	}
	return reports
}
