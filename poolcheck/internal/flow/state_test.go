package flow

import (
	"testing"
)

// Paths meet where their states have the same key: whatever tells two states
// apart must be in it.
func TestKey(t *testing.T) {
	o, p := &object{id: 1}, &object{id: 2}
	e := newExplorer(&Package{}, nil)
	goroutine := &task{id: 1}
	base := func() *state {
		s := newState()
		s.mem[cell{o, ".f"}] = to(p)
		s.status[o] = status{}
		return s
	}
	want := base().key(e)
	if base().key(e) != want {
		t.Fatal("two equal states have different keys")
	}
	for name, change := range map[string]func(*state){
		"phase":    func(s *state) { s.update(o, func(st *status) { st.phase = released }) },
		"place":    func(s *state) { s.update(o, func(st *status) { st.at = place{pos: 5} }) },
		"deferred": func(s *state) { s.update(o, func(st *status) { st.deferred = true }) },
		"owned":    func(s *state) { s.update(o, func(st *status) { st.owned = true }) },
		"escaped":  func(s *state) { s.update(o, func(st *status) { st.escaped = true }) },
		"judged":   func(s *state) { s.update(o, func(st *status) { st.judged = true }) },
		"owners":   func(s *state) { s.update(o, func(st *status) { st.owners = 1 }) },
		"many":     func(s *state) { s.update(o, func(st *status) { st.many = true }) },
		"fill":     func(s *state) { s.update(o, func(st *status) { st.fill = partial }) },
		"task":     func(s *state) { s.update(o, func(st *status) { st.tasks = []*task{goroutine} }) },
		"escape":   func(s *state) { s.update(o, func(st *status) { st.escapes = []escape{{at: place{pos: 5}}} }) },
		"origin":   func(s *state) { s.update(o, func(st *status) { st.origin = "pool" }) },
		"rider":    func(s *state) { s.update(o, func(st *status) { st.rider = true }) },
		"part":     func(s *state) { s.update(o, func(st *status) { st.rel = part }) },
		"cell":     func(s *state) { s.mem[cell{o, ".g"}] = to(p) },
		"content":  func(s *state) { s.mem[cell{o, ".f"}] = to(o) },
		"rel":      func(s *state) { s.mem[cell{o, ".f"}] = value{refs: to(p).weaken(view, nowhere)} },
		"stale":    func(s *state) { s.mem[cell{o, ".f"}] = value{stale: true} },
		"stored":   func(s *state) { s.stored[cell{o, ".f"}] = true },
		"another":  func(s *state) { s.status[p] = status{} },
	} {
		s := base()
		change(s)
		if s.key(e) == want {
			t.Errorf("%s: the key does not tell", name)
		}
	}
}

func TestCopy(t *testing.T) {
	o := &object{id: 1}
	s := newState()
	c := s.copy()
	c.status[o] = status{phase: released}
	c.mem[cell{o, ""}] = to(o)
	c.stored[cell{o, ""}] = true
	c.known[o] = knownNil
	if len(s.status)+len(s.mem)+len(s.stored)+len(s.known) > 0 {
		t.Error("a change of the copy shows in the original")
	}
}

// When a loop comes round, what the variable had goes on as the older
// instance, with its life and its cells; what was older before is forgotten.
func TestAge(t *testing.T) {
	now, before := &object{id: 1}, &object{id: 2, age: 1}
	keeper, part := &object{id: 3}, &object{id: 4}
	s := newState()
	s.status[now] = status{phase: released, at: place{pos: 5}}
	s.status[before] = status{phase: sent}
	s.known[now] = knownNonNil
	s.mem[cell{keeper, ".now"}] = to(now)
	s.mem[cell{keeper, ".before"}] = to(before)
	s.mem[cell{now, ".f"}] = to(part)
	s.stored[cell{now, ".f"}] = true

	s.age(now, before)

	if st, ok := s.status[before]; !ok || st.phase != released || st.at.pos != 5 {
		t.Errorf("the older instance is %v, want released at 5", st)
	}
	if _, ok := s.status[now]; ok {
		t.Error("the new instance has a life already")
	}
	if _, ok := s.known[now]; ok || s.known[before] != knownNonNil {
		t.Error("what was known did not move")
	}
	if v := s.mem[cell{keeper, ".now"}]; !v.leadsTo(before) || v.leadsTo(now) {
		t.Error("a cell still leads to the new instance")
	}
	if s.mem[cell{keeper, ".before"}].leadsTo(before) {
		t.Error("a cell of the oldest round leads to the one after")
	}
	if !s.mem[cell{before, ".f"}].leadsTo(part) || !s.stored[cell{before, ".f"}] || s.stored[cell{now, ".f"}] {
		t.Error("the cells did not move")
	}
}

// A store to a field makes what showed the old content show nothing.
func TestDetach(t *testing.T) {
	o, keeper := &object{id: 1}, &object{id: 2}
	s := newState()
	s.mem[cell{keeper, ".f"}] = value{refs: []ref{{obj: o, path: ".B", rel: view}}}
	s.mem[cell{keeper, ".g"}] = value{refs: []ref{{obj: o, path: ".C", rel: view}}}
	s.mem[cell{keeper, ".h"}] = to(o)
	s.detach(cell{o, ".B"})
	if s.mem[cell{keeper, ".f"}].leadsTo(o) {
		t.Error("a view of the field is left")
	}
	if !s.mem[cell{keeper, ".g"}].leadsTo(o) || !s.mem[cell{keeper, ".h"}].leadsTo(o) {
		t.Error("more than the views of the field is gone")
	}
}

// Where it is crowded, paths go on as one if they agree on pooled memory, and what they do
// not agree on is not known then.
func TestBlend(t *testing.T) {
	e := newExplorer(&Package{}, nil)
	pooled, field := &object{id: 1, acq: &acquisition{}}, &object{id: 2}
	at := func(p phase, n known) *state {
		s := newState()
		s.status[pooled] = status{phase: p, owned: true}
		s.mem[cell{field, ".buf"}] = to(pooled)
		s.mem[cell{field, ".n"}] = value{known: n}
		return s
	}
	m := make(blend)
	if m.add(e, at(live, knownNil)) == nil {
		t.Fatal("the first state does not go on")
	}
	if m.add(e, at(live, knownNil)) != nil {
		t.Error("an equal state goes on")
	}
	if m.add(e, at(released, knownNil)) == nil {
		t.Error("a state with released memory does not go on")
	}
	s := m.add(e, at(live, knownNonNil))
	if s == nil {
		t.Fatal("a state with another number does not go on")
	}
	if c := s.mem[cell{field, ".n"}]; !c.stale || c.known != (known{}) {
		t.Errorf("the number is %v, want nothing known", c)
	}
	if c := s.mem[cell{field, ".buf"}]; c.identity() != pooled {
		t.Errorf("the memory is %v, want what both have", c)
	}
	if m.add(e, at(live, knownTrue)) != nil {
		t.Error("a state goes on that tells less than those before")
	}
}
