package flow

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// escape records that v was stored at x: code that reads x may release v, and may
// read it after its release.
func (e *explorer) escape(s *state, v value, x escape) {
	local := x.into != nil && x.into.kind == localObject && !s.status[x.into].shared()
	e.unlist(s, v.refs)
	e.eachReached(s, v, func(r ref) {
		back := x.into != nil && (r.obj.inside(x.into) && !r.obj.takenOutOf(x.into) || x.into.inside(r.obj))
		if r.obj.kind == globalObject || back && (e.applying || s.status[r.obj].phase != released) {
			if back && r.obj.parent == x.cell.obj && r.obj.path != x.cell.path {
				s.update(r.obj, (*status).share) // it has another place in the same struct, too
			}
			return
		}
		if f := storedIn(x.at.instr); f != nil {
			e.handsTo(r.obj, f)
		}
		first := !s.status[r.obj].shared()
		s.handOver(r.obj)
		s.update(r.obj, func(st *status) {
			x.late = st.phase == released && !e.applying
			if !local && (r.rel != holds || r.at.valid()) && !slices.Contains(st.escapes, x) {
				st.escapes = append(slices.DeleteFunc(slices.Clone(st.escapes), x.covers), x)
				st.parked = first
			}
		})
	})
}

// handsTo records that a path puts o into place, a field or channel.
func (e *explorer) handsTo(o *object, place types.Object) {
	if o = e.young(o); o.taken && place != nil && !slices.Contains(e.handedOn[o], place) {
		e.handedOn[o] = append(e.handedOn[o], place)
	}
}

// inside reports whether o is what some cell of p held from the start.
func (o *object) inside(p *object) bool {
	for ; o != nil; o = o.parent {
		if o == p {
			return true
		}
	}
	return false
}

// takenOutOf reports whether o, which was found inside of p, was taken out of there, or what it is
// inside of was.
func (o *object) takenOutOf(p *object) bool {
	for ; o != p; o = o.parent {
		if o.taken {
			return true
		}
	}
	return false
}

// eachReached calls f for every ref of v, for what came with the messages among them, and for
// every ref of what local objects that v leads to hold.
func (e *explorer) eachReached(s *state, v value, f func(ref)) { e.reach(s, v, false, f) }

// reach does what eachReached does. If exact is set, a pointer to a field of a local object leads
// to what is in that field, and not to the rest.
func (e *explorer) reach(s *state, v value, exact bool, f func(ref)) {
	seen := make(map[cell]bool)
	var walk func(v value)
	walk = func(v value) {
		for _, x := range v.all() {
			f(x)
			at := cell{obj: x.obj}
			if exact {
				at.path, _, _ = strings.Cut(x.path, "[")
			}
			if seen[at] {
				continue
			}
			seen[at] = true
			if x.obj.message {
				for _, o := range s.cameWith(x.obj) {
					f(ref{obj: o})
				}
			}
			if x.obj.kind != localObject {
				continue
			}
			for _, p := range s.cells(x.obj) {
				if strings.HasPrefix(p, at.path) {
					walk(s.mem[cell{x.obj, p}])
				}
			}
		}
	}
	walk(v)
}

// surrender records that unknown code was given v: what it leads to may be
// released, kept and overwritten from now on. to is the call that it was given to,
// nil if it stays where it is.
func (e *explorer) surrender(s *state, v value, to *lending) {
	var lost []value
	e.unlist(s, v.refs)
	e.eachReached(s, v, func(r ref) {
		if r.obj.list != nil {
			e.lists[r.obj.list] = true
		}
		if s.status[r.obj].phase == live {
			s.update(r.obj, func(st *status) {
				if st.fill = clean; to == nil {
					st.share()
				}
			})
			if to != nil {
				over := to.takingOver()
				e.lend(s, r.obj, over)
				if inBox(r.obj) {
					e.lend(s, r.obj.parent, over)
				}
			}
		}
		if _, closure := r.obj.site.(*ssa.MakeClosure); closure || e.constantCell(r.obj) {
			return
		}
		lost = append(lost, e.clobber(s, r.obj, r.path)...)
	})
	for _, l := range lost {
		e.eachReached(s, l, func(r ref) {
			if s.status[r.obj].phase != live {
				return
			}
			s.update(r.obj, (*status).share)
			if inBox(r.obj) {
				s.update(r.obj.parent, (*status).share)
			}
		})
	}
}

// clobber forgets the cells of o below path.
func (e *explorer) clobber(s *state, o *object, path string) []value {
	if s.status[o].each.valid() {
		s.update(o, func(st *status) { st.each = nowhere })
	}
	lost := s.invalidate(o, path, e.dynamic, e.stable)
	if _, handle := s.mem[cell{o, "held"}]; handle && path == "" {
		return lost // all that counts is what it holds
	}
	if path == "" {
		s.mem[cell{o, "*"}] = value{stale: true}
	} else if _, ok := s.mem[cell{o, path}]; !ok {
		s.mem[cell{o, path}] = value{stale: true}
	}
	return lost
}

// constantCell reports whether o is a variable that is assigned once, so that
// code that has its address does not change it.
func (e *explorer) constantCell(o *object) bool {
	a, ok := o.site.(*ssa.Alloc)
	if !ok || !a.Heap {
		return false
	}
	if known, ok := e.constant[a]; ok {
		return known
	}
	stores := 0
	constant := true
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		refs := v.Referrers()
		if refs == nil {
			return
		}
		for _, instr := range *refs {
			switch instr := instr.(type) {
			case *ssa.Store:
				if instr.Addr == v {
					stores++
				} else {
					constant = false
				}
			case *ssa.UnOp, *ssa.DebugRef:
			case *ssa.MakeClosure:
				fn := instr.Fn.(*ssa.Function)
				for i, b := range instr.Bindings {
					if b == v && i < len(fn.FreeVars) {
						visit(fn.FreeVars[i])
					}
				}
			default:
				constant = false
			}
		}
	}
	visit(a)
	constant = constant && stores <= 1
	e.constant[a] = constant
	return constant
}
