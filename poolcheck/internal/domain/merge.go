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
	for r, v := range s.Env {
		for _, ref := range v.Refs {
			h += sum(entry{r, ref})
		}
	}
	for c, v := range s.Mem {
		for _, ref := range v.Refs {
			h += sum(entry{c, ref})
		}
	}
	for o, l := range s.Life {
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
	for r, v := range s.Env {
		if v.Fact != Unknown && t.Env[r].Fact != v.Fact {
			changed = true
			if v.Fact = Unknown; v.Empty() {
				delete(s.Env, r)
			} else {
				s.Env[r] = v
			}
		}
	}
	for c, v := range s.Mem {
		if v.Fact != Unknown && t.Mem[c].Fact != v.Fact {
			changed = true
			v.Fact = Unknown
			s.Mem[c] = v
		}
	}
	return changed
}

// Blur makes s a state that says no more than both s and t: what has different lives in them is
// gone, and a register or cell with different references leads to both.
func (s *State) Blur(t *State) {
	for o, l := range t.Life {
		if m, ok := s.Life[o]; !ok || m != l {
			s.Life[o] = Life{Phase: Gone}
		}
	}
	for o := range s.Life {
		if _, ok := t.Life[o]; !ok {
			s.Life[o] = Life{Phase: Gone}
		}
	}
	for r, v := range t.Env {
		s.Env[r] = s.Env[r].Join(v)
	}
	for c, v := range t.Mem {
		s.Mem[c] = s.Mem[c].Join(v)
	}
	for c, i := range s.Stored {
		if t.Stored[c] != i {
			delete(s.Stored, c)
		}
	}
	s.Meet(t)
	if len(t.Defers) > len(s.Defers) {
		s.Defers = t.Defers
	}
}
