package magazine

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A stack does what a slice does, with any room.
func TestStackAgainstModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	newItem := func() Item { return ItemOf(make([]byte, 8)) }
	for room := range slots + 1 {
		var s stack
		top := uint32(room)
		var model []Item // newest last
		for range 2000 {
			switch op := rnd.IntN(8); {
			case op < 3:
				x := newItem()
				ok := s.push(&top, x)
				if ok != (len(model) < room) {
					t.Fatalf("room %d: push with %d items: %v", room, len(model), ok)
				}
				if ok {
					model = append(model, x)
				}
			case op < 6:
				x := s.newest(top)
				if x.Some() != (len(model) > 0) {
					t.Fatalf("room %d: the newest of %d items: %v", room, len(model), x.Some())
				}
				if x.Some() {
					s.remove(&top)
					if !same(x, model[len(model)-1]) {
						t.Fatalf("room %d: another item than the newest", room)
					}
					model = model[:len(model)-1]
				}
			case op == 6:
				items := make([]Item, rnd.IntN(slots))
				for i := range items {
					items[i] = newItem()
				}
				rest := s.fill(&top, items)
				if want := max(0, len(items)-(room-len(model))); rest != want {
					t.Fatalf("room %d: fill of %d onto %d left %d, want %d", room, len(items), len(model), rest, want)
				}
				for i := len(items) - 1; i >= rest; i-- {
					model = append(model, items[i])
				}
			case room > 0 && len(model) == room:
				var batch batch
				n := s.shift(&top, uint32(room), &batch)
				if n != room-room/2 {
					t.Fatalf("room %d: shift moved %d", room, n)
				}
				for i := range n { // oldest last
					if !same(batch[i], model[n-1-i]) {
						t.Fatalf("room %d: shift moved another item", room)
					}
				}
				model = model[n:]
			}
			if n := room - int(top); n != len(model) {
				t.Fatalf("room %d: %d items, want %d", room, n, len(model))
			}
			for i, x := range s { // nothing is held that was given away
				if x.Some() != (i >= int(top) && i < room) {
					t.Fatalf("room %d, top %d: place %d is taken: %v", room, top, i, x.Some())
				}
			}
		}
	}
	for top := range uint32(noTop + 1) { // whatever a stack had that was taken away
		before := top
		if blocked.push(&top, newItem()) || blocked.newest(top).Some() || blocked.fill(&top, []Item{newItem()}) != 1 || top != before {
			t.Errorf("the blocked stack gives or takes with top %d", before)
		}
	}
	if slices.ContainsFunc(blocked[:], Item.Some) {
		t.Error("the blocked stack was written to")
	}
}
