package flow

import (
	"testing"
)

func TestJoin(t *testing.T) {
	a, b := &object{id: 1}, &object{id: 2}
	v := to(a)
	v.known = knownNonNil
	w := v.join([]ref{{obj: a}, {obj: b, rel: part}, {obj: b, rel: part}})
	if len(w.refs) != 2 || w.refs[0].obj != a || w.refs[1].obj != b {
		t.Errorf("joined refs %v, want a and b once each, in this order", w.refs)
	}
	if len(v.refs) != 1 {
		t.Error("join changed its receiver")
	}
}

// A ref only ever gets weaker, and what a struct's field leads to is at most
// shown by the struct.
func TestWeaken(t *testing.T) {
	a, b := &object{id: 1}, &object{id: 2}
	v := value{refs: []ref{{obj: a, rel: view}}, sub: map[string]value{".f": to(b)}}
	for _, to := range []rel{whole, part, view, holds} {
		refs := v.weaken(to, nowhere)
		if len(refs) != 2 {
			t.Fatalf("weaken(%d) gave %d refs, want 2", to, len(refs))
		}
		if got, want := refs[0].rel, max(view, to); got != want {
			t.Errorf("weaken(%d) of a view is %d, want %d", to, got, want)
		}
		if got, want := refs[1].rel, max(view, to); got != want {
			t.Errorf("weaken(%d) of a field is %d, want %d", to, got, want)
		}
	}
	if v.refs[0].rel != view {
		t.Error("weaken changed its receiver")
	}
}

// Where a value is stored is certain only if it was so at every step.
func TestWeakenPlace(t *testing.T) {
	v := value{refs: []ref{{obj: &object{}}}}
	once := value{refs: v.weaken(holds, place{pos: 7})}
	if once.refs[0].at.pos != 7 {
		t.Errorf("stored at %v, want 7", once.refs[0].at)
	}
	lost := value{refs: once.weaken(holds, nowhere)}
	if again := lost.weaken(holds, place{pos: 9}); again[0].at.valid() {
		t.Errorf("stored at %v, want no place: it was lost on the way", again[0].at)
	}
}

func TestSubstitute(t *testing.T) {
	old, other, young := &object{id: 1}, &object{id: 2}, &object{id: 3}
	v := value{refs: []ref{{obj: old}, {obj: other}}, sub: map[string]value{".f": to(old)}}
	w := v.substitute(old, young)
	if w.leadsTo(old) || !w.leadsTo(young) || !w.sub[".f"].leadsTo(young) || !w.leadsTo(other) {
		t.Errorf("substituted: %v, want young in place of old everywhere", w)
	}
	if w := v.substitute(old, nil); w.leadsTo(old) || len(w.refs) != 1 {
		t.Errorf("dropped: %v, want other alone", w)
	}
	if !v.leadsTo(old) || v.leadsTo(young) {
		t.Error("substitute changed its receiver")
	}
}
