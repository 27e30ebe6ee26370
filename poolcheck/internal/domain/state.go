package domain

import (
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A Phase is where an object is in its life.
type Phase uint8

const (
	Live     Phase = iota
	Released       // it went back to its pool
	Gone           // nothing more is said of it
)

// A Life is what has become of an object on one path.
type Life struct {
	Phase   Phase
	At      ssa.Instruction // that ended the phase before
	By      ssa.Instruction // At, or what ended it inside of the deferred function that At calls
	Owned   bool            // the function has to release it
	Escaped bool            // others may have it
	Extra   int8            // references more than the first
	Sharer  ssa.Instruction // what added the last of them
	Weighed bool            // its size decided a branch
	Failed  bool            // a method of it has failed
	Planted ssa.Instruction // the store that made a struct of the caller lead to it
	Grown   ssa.Instruction // the append that may have moved it
	Loans   *Loan           // the unknown code that was given it
	Handed  ssa.Instruction // the send, or the start of a goroutine, that gave it to another one
	Waited  bool            // something has waited since
	Left    bool            // to a Transport whose request has failed: who waits knows nothing of it
	Source  Cell            // of a window, the decoder
	Kept    ssa.Instruction // what put it into a map or a list
	Listed  ssa.Instruction // what put something that shows it into a map or a list
}

// A Loan says that unknown code was given an object. Key names the code.
type Loan struct {
	ID   int
	Key  any
	Next *Loan
}

// Shared reports whether others than the function may release the object.
func (l Life) Shared() bool { return l.Escaped || l.Extra > 0 }

// A Cell is a place in memory.
type Cell struct {
	Obj  *Object
	Path string
}

// A Pending is a deferred call.
type Pending struct {
	Instr *ssa.Defer
	Fun   Value
	Args  []Value
}

// A State is what is known at one point of one path.
type State struct {
	Env    Map[ssa.Value, Value]
	Mem    Map[Cell, Value]
	Stored Map[Cell, ssa.Instruction] // which of the cells the function has written, and where
	Life   Map[*Object, Life]
	Defers []Pending
}

// Copy returns a copy.
func (s *State) Copy() *State {
	return &State{
		Env: s.Env.Copy(), Mem: s.Mem.Copy(), Stored: s.Stored.Copy(), Life: s.Life.Copy(),
		Defers: slices.Clip(s.Defers),
	}
}

// Update changes the life of o.
func (s *State) Update(o *Object, change func(*Life)) {
	l := s.Life.Get(o)
	change(&l)
	s.Life.Set(o, l)
}

// Reach returns the objects that v leads to, directly and through the cells of others. An error
// leads to none.
func (s *State) Reach(v Value) []*Object {
	var all []*Object
	var add func(v Value)
	add = func(v Value) {
		for _, r := range v.Refs {
			if r.Rel == Fault || slices.Contains(all, r.Obj) {
				continue
			}
			all = append(all, r.Obj)
			for c, w := range s.Mem.All() {
				if c.Obj == r.Obj {
					add(w)
				}
			}
		}
	}
	add(v)
	slices.SortFunc(all, func(a, b *Object) int { return a.ID - b.ID })
	return all
}

// Held reports whether a register, a cell or a deferred call leads to o.
func (s *State) Held(o *Object) bool {
	for _, v := range s.Env.All() {
		if v.Mentions(o) {
			return true
		}
	}
	for c, v := range s.Mem.All() {
		if c.Obj != o && v.Mentions(o) {
			return true
		}
	}
	for _, d := range s.Defers {
		if slices.ContainsFunc(append([]Value{d.Fun}, d.Args...), func(v Value) bool { return slices.Contains(s.Reach(v), o) }) {
			return true
		}
	}
	return false
}

// Drop removes the references from registers and cells for which match returns true.
func (s *State) Drop(match func(Ref) bool) {
	for r, v := range s.Env.All() {
		if slices.ContainsFunc(v.Refs, match) {
			s.Env.Set(r, Value{slices.DeleteFunc(slices.Clone(v.Refs), match), v.Fact})
		}
	}
	for c, v := range s.Mem.All() {
		if slices.ContainsFunc(v.Refs, match) {
			s.Mem.Set(c, Value{slices.DeleteFunc(slices.Clone(v.Refs), match), v.Fact})
		}
	}
}

// Forget drops all references to o, and what is known of it.
func (s *State) Forget(o *Object) {
	for c := range s.Mem.All() {
		if c.Obj == o {
			s.Mem.Delete(c)
			s.Stored.Delete(c)
		}
	}
	s.Drop(func(r Ref) bool { return r.Obj == o })
	s.Life.Delete(o)
}
