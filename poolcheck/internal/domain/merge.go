package domain

import (
	"hash/maphash"

	"golang.org/x/tools/go/ssa"
)

var seed = maphash.MakeSeed()

func sum[T comparable](x T) uint64 { return maphash.Comparable(seed, x) }

// Shape returns a number that states with the same objects in the same lives and places share.
// Facts do not count.
func (s *State) Shape() uint64 {
	type entry struct {
		at  any
		ref Ref
	}
	var h uint64
	for r, v := range s.Env.All() {
		for _, ref := range v.Refs {
			h += sum(entry{r, ref})
		}
	}
	for c, v := range s.Mem.All() {
		for _, ref := range v.Refs {
			h += sum(entry{c, ref})
		}
	}
	for o, l := range s.Life.All() {
		h += sum(struct {
			*Object
			Life
		}{o, l})
	}
	for i, d := range s.Defers {
		h += sum(struct {
			int
			*ssa.Defer
		}{i, d.Instr})
		for k, a := range d.Args {
			for _, ref := range a.Refs {
				h += sum(entry{[2]int{i, k}, ref})
			}
		}
	}
	return h
}

// Meet drops the facts that t, a state of the same shape, does not have. It reports whether there
// were any.
func (s *State) Meet(t *State) (changed bool) {
	for r, v := range s.Env.All() {
		if v.Fact != Unknown && t.Env.Get(r).Fact != v.Fact {
			changed = true
			if v.Fact = Unknown; v.Empty() {
				s.Env.Delete(r)
			} else {
				s.Env.Set(r, v)
			}
		}
	}
	for c, v := range s.Mem.All() {
		if v.Fact != Unknown && t.Mem.Get(c).Fact != v.Fact {
			changed = true
			v.Fact = Unknown
			s.Mem.Set(c, v)
		}
	}
	return changed
}

// Blur makes s a state that says no more than both s and t: what has different lives in them is
// gone, and a register or cell with different references leads to both.
func (s *State) Blur(t *State) {
	for o, l := range t.Life.All() {
		if m, ok := s.Life.Lookup(o); !ok || m != l {
			s.Life.Set(o, Life{Phase: Gone})
		}
	}
	for o := range s.Life.All() {
		if _, ok := t.Life.Lookup(o); !ok {
			s.Life.Set(o, Life{Phase: Gone})
		}
	}
	for r, v := range t.Env.All() {
		s.Env.Set(r, s.Env.Get(r).Join(v))
	}
	for c, v := range t.Mem.All() {
		s.Mem.Set(c, s.Mem.Get(c).Join(v))
	}
	for c, i := range s.Stored.All() {
		if t.Stored.Get(c) != i {
			s.Stored.Delete(c)
		}
	}
	s.Meet(t)
	if len(t.Defers) > len(s.Defers) {
		s.Defers = t.Defers
	}
}
