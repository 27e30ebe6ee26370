package domain

import (
	"maps"
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

// A Map and its copies do not see each other's changes, whichever changes first.
func TestCopiesOfMaps(t *testing.T) {
	for _, changed := range []string{"the original", "the copy", "both"} {
		var m Map[int, string]
		m.Set(1, "a")
		m.Set(2, "b")
		c := m.Copy()
		if changed != "the copy" {
			m.Set(1, "new")
			m.Delete(2)
		}
		if changed != "the original" {
			c.Set(2, "other")
			c.Delete(1)
		}
		want, wantCopy := map[int]string{1: "a", 2: "b"}, map[int]string{1: "a", 2: "b"}
		if changed != "the copy" {
			want = map[int]string{1: "new"}
		}
		if changed != "the original" {
			wantCopy = map[int]string{2: "other"}
		}
		if got, gotCopy := maps.Collect(m.All()), maps.Collect(c.All()); !maps.Equal(got, want) || !maps.Equal(gotCopy, wantCopy) {
			t.Errorf("%s changed: the original has %v and the copy %v, want %v and %v", changed, got, gotCopy, want, wantCopy)
		}
	}
}
