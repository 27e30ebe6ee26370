package domain

import (
	"testing"

	"golang.org/x/tools/go/ssa"
)

// with returns a state in which reg leads to o, with a fact.
func with(reg ssa.Value, o *Object, f Fact) *State {
	s := new(State)
	s.Env.Set(reg, Value{Refs: []Ref{{Obj: o}}, Fact: f})
	s.Life.Set(o, Life{Owned: true})
	return s
}

// States that differ in facts alone are of one shape, and what both know remains.
func TestMeet(t *testing.T) {
	reg, o := new(ssa.Parameter), &Object{}
	s, u := with(reg, o, NonNil), with(reg, o, Unknown)
	if s.Shape() != u.Shape() {
		t.Error("a fact changes the shape")
	}
	if !s.Meet(u) || s.Env.Get(reg).Fact != Unknown || !s.Env.Get(reg).Mentions(o) {
		t.Errorf("what both know of the register: %+v", s.Env.Get(reg))
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
	if v := s.Env.Get(reg); !v.Mentions(o) || !v.Mentions(other) || v.Fact != NonNil {
		t.Errorf("the register leads to %+v", v)
	}
	if s.Life.Get(o).Phase != Gone || s.Life.Get(other).Phase != Gone {
		t.Errorf("the lives are %+v", s.Life)
	}
}

// What is forgotten is mentioned nowhere, and its cells are gone.
func TestForget(t *testing.T) {
	reg, o, holder := new(ssa.Parameter), &Object{ID: 1}, &Object{ID: 2}
	s := with(reg, o, Unknown)
	s.Mem.Set(Cell{holder, ".f"}, Of(o))
	s.Mem.Set(Cell{o, ".g"}, Of(holder))
	if got := s.Reach(Of(holder)); len(got) != 2 || !s.Held(o) {
		t.Errorf("the holder reaches %v", got)
	}
	s.Forget(o)
	if _, ok := s.Life.Lookup(o); ok || s.Held(o) || len(s.Reach(Of(holder))) != 1 || len(s.Mem.content) != 1 {
		t.Errorf("something is left of it: %+v", s)
	}
}

// A Map and its copy do not see each other's changes, whichever changes first.
func TestCopyOfMap(t *testing.T) {
	for _, first := range []string{"original", "copy"} {
		var m Map[int, string]
		m.Set(1, "old")
		c := m.Copy()
		x, y := &m, &c
		if first == "copy" {
			x, y = y, x
		}
		x.Set(1, "new")
		seen := y.Get(1)
		y.Delete(1)
		if seen != "old" || x.Get(1) != "new" {
			t.Errorf("the %s changes: it has %q, and the other saw %q", first, x.Get(1), seen)
		}
	}
}
