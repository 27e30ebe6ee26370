package flow

import (
	"hash/maphash"
	"maps"
	"slices"
	"strings"
)

// A meeting holds the states that have come to one place: the merged facts of those
// with the same key.
type meeting map[key]facts

// The facts of a state are what its key does not tell: what is known of objects,
// whom they were lent to, and what was lost.
type facts struct {
	known  map[*object]known
	lent   map[*object][]*lending
	losses []loss
}

// join merges f into s, which then knows what both know, and has the lendings and losses
// of either. It reports whether the result differs from f.
func (s *state) join(f facts) bool {
	maps.DeleteFunc(s.known, func(o *object, k known) bool { return f.known[o] != k })
	news := len(s.known) < len(f.known)
	for o, st := range s.status {
		before := f.lent[o]
		for _, l := range st.lent {
			news = news || !slices.Contains(before, l)
		}
		for _, l := range before {
			if !slices.Contains(st.lent, l) {
				st.lent = append(slices.Clip(st.lent), l)
				s.status[o] = st
			}
		}
	}
	for _, l := range s.losses {
		news = news || !slices.ContainsFunc(f.losses, l.same)
	}
	for _, l := range f.losses {
		if !slices.ContainsFunc(s.losses, l.same) {
			s.losses = append(slices.Clip(s.losses), l)
		}
	}
	return news
}

// add reports whether s, whose key is k, adds anything to the states of that key before
// it. If so, s stands for all of them from now on.
func (m meeting) add(k key, s *state) bool {
	if before, ok := m[k]; ok && !s.join(before) {
		return false
	}
	m[k] = s.facts()
	return true
}

// merge makes one of states that differ only in their facts.
func (e *explorer) merge(states []*state) []*state {
	return mergeAlike(states, func(s *state) (*state, key) { return s, s.key(e) }, func(s, t *state) { s.join(t.facts()) })
}

// mergeAlike makes one of those in list whose states have the same key: add adds a state to the
// first of them.
func mergeAlike[T any](list []T, of func(T) (*state, key), add func(s, t *state)) []T {
	if len(list) < 2 {
		return list
	}
	first := make(map[key]*state)
	return slices.DeleteFunc(list, func(x T) bool {
		s, k := of(x)
		if f := first[k]; f != nil {
			add(f, s)
			return true
		}
		first[k] = s
		return false
	})
}

// A key is a hash of a state, other than its facts: two states have the same one,
// as good as certainly, exactly if they are the same.
type key [2]uint64

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func sortedCells(m map[cell]value) []cell {
	cells := make([]cell, 0, len(m))
	for c := range m {
		cells = append(cells, c)
	}
	slices.SortFunc(cells, func(a, b cell) int {
		if a.obj.id != b.obj.id {
			return a.obj.id - b.obj.id
		}
		return strings.Compare(a.path, b.path)
	})
	return cells
}

func sortedObjects[V any](m map[*object]V) []*object {
	objs := make([]*object, 0, len(m))
	for o := range m {
		objs = append(objs, o)
	}
	slices.SortFunc(objs, func(a, b *object) int { return a.id - b.id })
	return objs
}
