package poolwatch

import "internal/strconv"

// Whether a slice in a struct belongs to the struct is learnt in the run without
// poison, for each place of Put and each field. It does if an object came back with the
// array that it was taken with, and in between a byte that was not zero was overwritten;
// unless an array was ever replaced by a smaller one, began inside a heap object, was
// in two idle objects at once, or changed while the object was idle. A caller's
// buffer fails on one of these, and so does an arena, which does not overwrite.
type ownership struct{ owned, foreign bool }

// learnBytes is how much of a slice is looked at until it is known whose it is.
const learnBytes = 512

// A takenObject is what the slices of an object were when it was taken. It keeps nothing
// alive.
type takenObject struct {
	id     uintptr
	typ    *typeInfo
	slices []takenSlice // by the type's fields, or longer
}

type takenSlice struct {
	ptr, cap uintptr // 0 if there was none
	saved    []byte  // what it began with, if it may be somebody else's
}

// taken has the objects that were taken and not put yet, where one with another address may
// take a place: an object that is not found teaches nothing.
var taken [4096]takenObject

func takenSlot(id uintptr) *takenObject {
	return &taken[(uint64(id)*0x9e3779b97f4a7c15)>>52]
}

// learnAtGet notes the slices of an object that is taken.
func (h *held) learnAtGet() {
	n := len(h.typ.fields)
	if !records || n == 0 || h.id == 0 {
		return
	}
	t := takenSlot(h.id)
	t.id, t.typ = h.id, h.typ
	if len(t.slices) < n {
		t.slices = make([]takenSlice, n)
	}
	for i := range t.slices {
		t.slices[i].ptr = 0
	}
	for i := range h.regions {
		r := &h.regions[i]
		s := &t.slices[r.field]
		s.ptr, s.cap, s.saved = uintptr(r.ptr), r.cap, s.saved[:0]
		if !h.typ.fields[r.field].certain {
			s.saved = append(s.saved, h.saved[r.at:r.at+r.n]...) // learnBytes at most
		}
	}
}

// learnAtPut compares the slices of an object with those that it had when it was taken.
func (h *held) learnAtPut() {
	if !records || len(h.typ.fields) == 0 || h.id == 0 {
		return
	}
	before := takenSlot(h.id)
	if before.id != h.id || before.typ != h.typ {
		before = nil
	}
	for i := range h.regions {
		r := &h.regions[i]
		if r.cap == 0 {
			continue
		}
		l := &h.place.fields[r.field]
		l.foreign = l.foreign || r.heap != uintptr(r.ptr)
		if other := byHeap.get(r.heap); other != nil {
			l.foreign = true
			if o := other.object(); o != nil {
				o.share(r.heap)
			}
		}
		if before == nil {
			continue
		}
		switch b := &before.slices[r.field]; {
		case b.ptr == 0:
		case b.ptr != uintptr(r.ptr):
			l.foreign = l.foreign || b.cap > r.cap
		case !l.owned:
			l.owned = overwritten(b.saved, bytesAt(r.ptr, r.n))
		}
	}
	if before != nil {
		before.id = 0
	}
}

// share notes that the slice in a heap object is in another idle object, too.
func (h *held) share(heap uintptr) {
	for i := range h.regions {
		if r := &h.regions[i]; r.heap == heap {
			h.place.fields[r.field].foreign = true
		}
	}
}

func overwritten(was, now []byte) bool {
	for i := range min(len(was), len(now)) {
		if was[i] != 0 && was[i] != now[i] {
			return true
		}
	}
	return false
}

// reportLearnt reports what was learnt.
func reportLearnt() {
	for _, p := range allPlaces {
		for i, whose := range p.fields {
			switch {
			case !records:
			case whose.foreign:
				report("foreign", p.name+"."+strconv.Itoa(i))
			case whose.owned:
				report("owned", p.name+"."+strconv.Itoa(i))
			}
		}
	}
}
