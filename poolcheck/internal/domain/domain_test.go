package domain

import (
	"testing"

	"golang.org/x/tools/go/ssa"
)

// with returns a state in which reg leads to o, with a fact.
func with(reg ssa.Value, o *Object, f Fact) *State {
	s := NewState()
	s.Env[reg] = Value{Refs: []Ref{{Obj: o}}, Fact: f}
	s.Life[o] = Life{Owned: true}
	return s
}

// States that differ in facts alone are of one shape, and what both know remains.
func TestMeet(t *testing.T) {
	reg, o := new(ssa.Parameter), &Object{}
	s, u := with(reg, o, NonNil), with(reg, o, Unknown)
	if s.Shape() != u.Shape() {
		t.Error("a fact changes the shape")
	}
	if !s.Meet(u) || s.Env[reg].Fact != Unknown || !s.Env[reg].Mentions(o) {
		t.Errorf("what both know of the register: %+v", s.Env[reg])
	}
	if s.Meet(u) {
		t.Error("there was nothing more to drop")
	}
	u.Update(o, func(l *Life) { l.Phase = Released })
	if s.Shape() == u.Shape() {
		t.Error("a release does not change the shape")
	}
}

// Blurred states say nothing of what became of an object in one of them alone.
func TestBlur(t *testing.T) {
	reg, o, other := new(ssa.Parameter), &Object{ID: 1}, &Object{ID: 2}
	s, u := with(reg, o, NonNil), with(reg, other, NonNil)
	s.Blur(u)
	if v := s.Env[reg]; !v.Mentions(o) || !v.Mentions(other) || v.Fact != NonNil {
		t.Errorf("the register leads to %+v", v)
	}
	if s.Life[o].Phase != Gone || s.Life[other].Phase != Gone {
		t.Errorf("the lives are %+v", s.Life)
	}
}

// What is forgotten is mentioned nowhere, and its cells are gone.
func TestForget(t *testing.T) {
	reg, o, holder := new(ssa.Parameter), &Object{ID: 1}, &Object{ID: 2}
	s := with(reg, o, Unknown)
	s.Mem[Cell{holder, ".f"}] = Of(o)
	s.Mem[Cell{o, ".g"}] = Of(holder)
	if got := s.Reach(Of(holder)); len(got) != 2 || !s.Held(o) {
		t.Errorf("the holder reaches %v", got)
	}
	s.Forget(o)
	if _, ok := s.Life[o]; ok || s.Held(o) || len(s.Reach(Of(holder))) != 1 || len(s.Mem) != 1 {
		t.Errorf("something is left of it: %+v", s)
	}
}
