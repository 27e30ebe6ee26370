package flow

import (
	"bytes"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// Where many paths come together, most of them differ in what has nothing to do with
// pooled memory: counts, settings, positions, which field was written. If there are more
// states than crowd allows, those that agree on the memory are merged into one, which knows
// only what all of them know.

const (
	// manySteps is a fair share of the work for one function.
	manySteps = maxSteps / 30
	fewStates = 4
)

// crowd returns how many states are kept apart in one place: few, once the function has
// taken much work.
func (e *explorer) crowd() int {
	if e.steps > manySteps {
		return fewStates
	}
	return maxStates / 2
}

// share returns how much of the work that a bound allows may be spent: where it is crowded,
// running what is called as well takes long and comes to nothing most often.
func (e *explorer) share(bound int) int {
	if e.crowded && !e.shallow {
		return bound / 4
	}
	return bound
}

// A blend holds the merged states of one place, by their outlines.
type blend map[key]*state

// add merges s with the states of the same outline that came before it. It returns the
// result, nil if s adds nothing to them.
func (m blend) add(e *explorer, s *state) *state {
	e.crowded = true
	k := e.outline(s)
	if before := m[k]; before != nil && !s.blur(before) {
		return nil
	}
	m[k] = s.copy()
	return s
}

// blend makes one of states that agree on pooled memory, if there are too many.
func (e *explorer) blend(states []*state) []*state {
	if len(states) <= e.crowd() {
		return states
	}
	e.crowded = true
	return mergeAlike(states, func(s *state) (*state, key) { return s, e.outline(s) }, func(s, t *state) { s.blur(t) })
}

// crowdOut adds x to the exits of r, or to one before it that agrees on pooled memory and, as
// far as a caller can tell, on the results.
func (e *explorer) crowdOut(r *run, x exit) {
	e.crowded = true
	all := x.state.concerned()
	b := appendNumber([]byte("out"), 'b', x.ret.Block().Index)
	for i, v := range x.results {
		if !v.reaches(all) {
			x.results[i] = value{known: x.state.knownOf(v)}
		}
		b = x.results[i].appendTo(append(b, '|'))
	}
	k := e.outline(x.state)
	k.add(b)
	r.end(k, x, func(s, t *state) { s.blur(t) })
}

// concerned returns the objects that pooled memory can be reached from, and those that
// something has happened to.
func (s *state) concerned() map[*object]bool {
	all := make(map[*object]bool)
	for o, st := range s.status {
		if o.root().acq != nil || st.phase != live || st.owned || st.owners > 0 || st.many || len(st.tasks) > 0 || st.each.valid() {
			all[o] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for c, v := range s.mem {
			if !all[c.obj] && v.reaches(all) {
				all[c.obj], changed = true, true
			}
		}
	}
	return all
}

// reaches reports whether v leads to one of the objects, or to what is in pooled memory.
func (v value) reaches(objs map[*object]bool) bool {
	return slices.ContainsFunc(v.all(), func(x ref) bool { return objs[x.obj] || x.obj.root().acq != nil })
}

// outline returns a key of what s says of pooled memory, and of nothing else.
func (e *explorer) outline(s *state) key {
	all := s.concerned()
	t := &state{env: maps.Clone(s.env), mem: maps.Clone(s.mem), status: maps.Clone(s.status), defers: s.defers}
	maps.DeleteFunc(t.env, func(_ ssa.Value, v value) bool { return !v.reaches(all) })
	maps.DeleteFunc(t.mem, func(_ cell, v value) bool { return !v.reaches(all) })
	maps.DeleteFunc(t.status, func(o *object, _ status) bool { return !all[o] })
	return t.key(e)
}

// blur merges t, which has the same outline, into s. It reports whether the result differs
// from t.
func (s *state) blur(t *state) bool {
	alike := make(map[ssa.Value]known) // what is known of registers that differ
	for r, v := range s.env {
		if k := s.knownOf(v); k == t.knownOf(t.env[r]) {
			alike[r] = k
		}
	}
	news := s.join(t.facts())
	for r, v := range s.env {
		if w, ok := t.env[r]; !ok || !v.equals(w) {
			s.env[r] = value{known: alike[r]}
			news = news || !ok || !w.equals(s.env[r])
		}
	}
	for r := range t.env {
		if _, ok := s.env[r]; !ok {
			s.env[r] = value{}
			news = true
		}
	}
	for c, v := range s.mem {
		if w, ok := t.mem[c]; !ok || !v.equals(w) {
			s.mem[c] = value{stale: true}
			news = news || !w.stale || len(w.refs) > 0
		}
	}
	for c, w := range t.mem {
		if _, ok := s.mem[c]; !ok {
			s.mem[c] = value{stale: true}
			news = news || !w.stale || len(w.refs) > 0
		}
	}
	for c := range t.stored {
		s.stored[c] = true
	}
	news = news || len(s.stored) > len(t.stored)
	for o, st := range s.status {
		before, ok := t.status[o]
		escaped := st.escaped || before.escaped
		news = news || !ok || escaped != before.escaped
		if st.escaped != escaped {
			s.update(o, func(st *status) { st.escaped = escaped })
		}
	}
	for o, st := range t.status {
		if _, ok := s.status[o]; !ok {
			s.status[o] = st
		}
	}
	return news
}

// equals reports whether v and w are the same value.
func (v value) equals(w value) bool { return bytes.Equal(v.appendTo(nil), w.appendTo(nil)) }
