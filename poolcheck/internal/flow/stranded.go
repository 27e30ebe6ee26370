package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Memory that a function has put into a field or channel, a container, is to be released by
// whoever takes it out. It is stranded if nothing that comes out of any of the
// containers that it may have come into is ever released, or given to code that might.
//
// Where it may come to is found without regard to paths (containers.go). That the function
// itself has not released the memory, its exploration tells.

// strandLeft notes what the path that ends with x leaves to others, other than its callers.
func (e *explorer) strandLeft(x exit) {
	var returned map[*object]bool
	for o, st := range x.state.status {
		if !e.leavesToOthers(o, st) {
			continue
		}
		if returned == nil {
			returned = make(map[*object]bool)
			for _, v := range x.results {
				e.eachInside(x.state, v, func(o *object) { returned[o] = true })
			}
		}
		if !returned[o] {
			e.strand(o, st)
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

// strand notes that a path has left o, which it had to release, to others. Where another path
// releases it when an answer has come, this one does not know whether they still use it.
func (e *explorer) strand(o *object, st status) {
	if e.leavesToOthers(o, st) {
		e.left[e.young(o)] = true
	}
}

// leavesToOthers reports whether o is pooled memory that others have, and nobody else is known to
// release.
func (e *explorer) leavesToOthers(o *object, st status) bool {
	return o.acq != nil && st.owned && !st.judged && !st.many && len(st.tasks) == 0 && !e.muted &&
		(st.phase == live && st.escaped || st.phase == sent) && o.typ != nil && (o.acq.family.Strict || o.acq.pool.find().put)
}

// mayStrand reports whether to leave o to the collector is worth a report, although nothing shows
// that what is in the same place is ever released.
func mayStrand(o *object) bool { return isBuffer(o.typ) || isCounted(o.typ) }

// receivesFrom reports whether a function receives from a channel that it is given and that may
// be one of containers: it has the same type of pointers.
func (p *Package) receivesFrom(containers []types.Object) bool {
	like := func(v *ssa.Parameter) bool {
		ch, ok := v.Type().Underlying().(*types.Chan)
		return ok && elemOfPointer(ch.Elem()) != nil && slices.ContainsFunc(containers, func(c types.Object) bool {
			t, ok := c.Type().Underlying().(*types.Chan)
			return ok && types.Identical(t.Elem(), ch.Elem())
		})
	}
	return slices.ContainsFunc(p.all, func(fn *ssa.Function) bool {
		return slices.ContainsFunc(fn.Params, func(v *ssa.Parameter) bool {
			return like(v) && slices.ContainsFunc(*v.Referrers(), func(use ssa.Instruction) bool {
				u, ok := use.(*ssa.UnOp)
				return ok && u.Op == token.ARROW
			})
		})
	})
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
	filled := make(map[types.Object]*filling)
	for _, e := range p.leaving {
		for _, o := range sortedObjects(e.left) {
			f := p.flowOf(o)
			if f == nil || e.awaited[o] {
				continue
			}
			into := f.containers
			if mayStrand(o) && !f.free && len(into) > 0 && !f.comesOut() && !p.receivesFrom(into) {
				if r := e.newReport(MissingRelease, o, o.at, nowhere); r != nil {
					r.Why, r.By = PutInto, into[0].Name()
					reports = append(reports, r)
				}
				continue
			}
			for _, c := range into {
				p.carriers(c, f.memory, channels)
				if filled[c] == nil {
					filled[c] = &filling{typ: f.memory}
				}
				filled[c].by = append(filled[c].by, e.fn)
			}
		}
	}
	for c, carries := range channels {
		if carries {
			reports = append(reports, p.discards(c)...)
		}
	}
	for c, in := range filled {
		if !isChannel(c.Type()) && p.releasedFrom(c, in.typ, sameMemory(c.Type(), in.typ)) {
			reports = append(reports, p.dropsAll(c, in)...)
		}
	}
	slices.SortFunc(reports, func(a, b *Report) int { return int(a.Pos - b.Pos) })
	return slices.CompactFunc(reports, func(a, b *Report) bool { return a.Pos == b.Pos })
}
