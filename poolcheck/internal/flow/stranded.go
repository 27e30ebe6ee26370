package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Memory that a function has put into a field, variable or channel, a container, is to be
// released by whoever takes it out. It is stranded if nothing that comes out of any of the
// containers that it may have come into is ever released, or given to code that might.
//
// Where it may come to is found without regard to paths (containers.go). That the function
// itself has not released the memory, its exploration tells.

// strandLeft notes what the path that ends with x leaves to others, other than its callers.
func (e *explorer) strandLeft(x exit) {
	returned := make(map[*object]bool)
	for _, v := range x.results {
		e.eachInside(x.state, v, func(o *object) { returned[o] = true })
	}
	for _, o := range sortedObjects(x.state.status) {
		if !returned[o] {
			e.strand(o, x.state.status[o])
		}
	}
}

// eachInside calls f for what v leads to by other ways than fields.
func (e *explorer) eachInside(s *state, v value, f func(*object)) {
	seen := make(map[*object]bool)
	var walk func(v value)
	walk = func(v value) {
		for _, x := range v.all() {
			if seen[x.obj] {
				continue
			}
			seen[x.obj] = true
			f(x.obj)
			for _, p := range s.cells(x.obj) {
				if x.obj.kind == localObject && !strings.Contains(p, ".") {
					walk(s.mem[cell{x.obj, p}])
				}
			}
		}
	}
	walk(v)
}

// strand notes that a path has left o, which it had to release, to others.
func (e *explorer) strand(o *object, st status) {
	if e.muted || o.acq == nil || !st.owned || st.judged || st.many || len(st.tasks) > 0 ||
		!(st.phase == live && st.escaped || st.phase == sent) || !e.mayStrand(o) {
		return
	}
	e.left[e.young(o)] = true
}

// mayStrand reports whether to leave o to the collector is worth a report.
func (e *explorer) mayStrand(o *object) bool {
	if o.typ == nil || !isBuffer(o.typ) && !isCounted(o.typ) {
		return false
	}
	return o.acq.family.Strict || o.acq.pool.find().put
}

// isCounted reports whether t points to something that has a method which gives it back.
func isCounted(t types.Type) bool {
	elem := elemOfPointer(t)
	return elem != nil && slices.ContainsFunc(methods(elem), func(m types.Object) bool { return verb(m.Name(), giveBack) != "" })
}

// Stranded returns a report for each acquisition whose memory is stranded, for each place
// that drops what comes out of a channel, and for each that empties a field.
func (p *Package) Stranded() []*Report {
	var reports []*Report
	channels := make(map[types.Object]bool)
	emptied := make(map[types.Object]types.Type)
	for _, e := range p.leaving {
		for _, o := range sortedObjects(e.left) {
			f := p.flowOf(o)
			if f == nil {
				continue
			}
			into := f.containers
			if !f.free && len(into) > 0 && !f.comesOut() {
				if r := e.newReport(MissingRelease, o, o.at, nowhere); r != nil {
					r.Why, r.By = PutInto, into[0].Name()
					reports = append(reports, r)
				}
				continue
			}
			for _, c := range into {
				p.carriers(c, o.typ, channels)
				emptied[c] = o.typ
			}
		}
	}
	for c, carries := range channels {
		if carries {
			reports = append(reports, p.discards(c)...)
		}
	}
	for c, t := range emptied {
		if !isChannel(c.Type()) && p.releasedFrom(c, t, sameMemory(c.Type(), t)) {
			reports = append(reports, p.dropsAll(c)...)
		}
	}
	slices.SortFunc(reports, func(a, b *Report) int { return int(a.Pos - b.Pos) })
	return slices.CompactFunc(reports, func(a, b *Report) bool { return a.Pos == b.Pos })
}

// dropsAll returns a report for each function that gives up what is left, by its name, and
// replaces the field c without a look at it.
func (p *Package) dropsAll(c types.Object) []*Report {
	var reports []*Report
	for _, addr := range p.usesOf().of[c] {
		fa, ok := addr.(*ssa.FieldAddr)
		if !ok || !isEnd(fa.Parent().Name()) || mentions(fa.Parent(), c, true) {
			continue
		}
		for _, use := range *fa.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Addr == fa && isEmpty(st.Val) {
				reports = append(reports, &Report{Code: MissingRelease, Pos: st.Pos(), Name: c.Name(), Why: Emptied, By: c.Name()})
			}
		}
	}
	return reports
}

// isEmpty reports whether v is nil, or a map or list that was just made.
func isEmpty(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return v.IsNil()
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
