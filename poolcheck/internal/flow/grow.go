package flow

import (
	"golang.org/x/tools/go/ssa"

	"github.com/octet-go/octet/poolcheck/internal/api"
)

// consume ends the memory of argument k, whose content lives on in the result.
func (e *explorer) consume(sh *shape, s *state, row *api.Func, c *call, reg ssa.Value, k int) (value, bool) {
	v := c.args[k]
	owned := false
	for _, x := range v.refs {
		if x.rel == holds {
			continue
		}
		st := s.status[x.obj]
		e.frees[e.young(x.obj)]++
		owned = owned || st.owned
		if st.phase != live {
			continue
		}
		if len(st.tasks) > 0 {
			e.report(s, GrownAndLost, x.obj, c.at, st.tasks[0].at)
			continue
		}
		e.end(s, x.obj, moved, c.at, c.deferred)
	}
	if reg == nil {
		return value{}, false
	}
	fill := clean
	if len(v.refs) == 1 && v.refs[0].rel == whole && !v.refs[0].cut && s.status[v.refs[0].obj].fill == dirty {
		fill = dirty // what was not written is in front of what is appended
	}
	owned = owned || s.knownOf(v).kind == isNil
	o := e.acquire(sh, s, row, c, reg, 0)
	if len(v.refs) > 0 {
		if o.from == nil {
			o.from = make(map[*object]bool)
		}
		before := e.young(v.refs[0].obj)
		o.from[before] = true
		o.call(e.in, before.name(e.in))
	}
	s.update(o, func(st *status) { st.fill, st.owned = fill, owned })
	return to(o), true
}

// grow marks the views of a Buffer as old: its array may have moved.
func (e *explorer) grow(s *state, v value, lengthen bool) {
	for _, x := range v.refs {
		if lengthen {
			s.update(x.obj, func(st *status) { st.fill = partial })
		}
		if st := s.status[x.obj]; st.owners > 0 || st.many {
			continue // what others have references to stays
		}
		age := func(v value) value {
			hit := false
			for _, y := range v.refs {
				hit = hit || s.shows(y, x.obj)
			}
			if !hit {
				return v
			}
			out := v
			out.refs = nil
			for _, y := range v.refs {
				y.old = y.old || s.shows(y, x.obj)
				out.refs = append(out.refs, y)
			}
			return out
		}
		for r, w := range s.env {
			s.env[r] = age(w)
		}
		for c, w := range s.mem {
			if c.obj != x.obj {
				s.mem[c] = age(w)
			} else if c.path == ".B" {
				delete(s.mem, c)
			}
		}
	}
}

// shows reports whether y is a view of the Buffer o, not the Buffer itself.
func (s *state) shows(y ref, o *object) bool {
	return y.obj == o && y.rel >= view || y.obj.kind == contentObject && y.obj.parent == o && s.there(y.obj)
}

// there reports whether the content o is still in the cell that it was found in.
func (s *state) there(o *object) bool {
	v, ok := s.mem[cell{o.parent, o.path}]
	return !ok || v.stale || v.leadsTo(o)
}
