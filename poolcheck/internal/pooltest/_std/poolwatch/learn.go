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

// A takenObject is what the slices of an object were when it was taken. It keeps
// nothing alive.
type takenObject struct {
	id      uintptr
	typ     *typeInfo
	regions []takenRegion
	saved   []byte
}

type takenRegion struct {
	field           int
	ptr, n, cap, at uintptr
}

// taken has the objects that were taken and not put yet, where one with another address may
// take a place: an object that is not found teaches nothing.
var taken [4096]takenObject

func takenSlot(id uintptr) *takenObject {
	return &taken[(uint64(id)*0x9e3779b97f4a7c15)>>52]
}

// learnAtGet notes the slices of an object that is taken, and what those begin with that
// may be somebody else's.
func (h *held) learnAtGet() {
	if !records || len(h.typ.fields) == 0 || h.id == 0 {
		return
	}
	t := takenSlot(h.id)
	t.id, t.typ, t.regions, t.saved = h.id, h.typ, t.regions[:0], t.saved[:0]
	for i := range h.regions {
		r := &h.regions[i]
		if h.typ.fields[r.field].array > 0 {
			continue
		}
		to := takenRegion{field: r.field, ptr: uintptr(r.ptr), cap: r.cap, at: uintptr(len(t.saved))}
		if !h.typ.fields[r.field].certain {
			to.n = r.n // learnBytes at most
			t.saved = append(t.saved, h.saved[r.at:r.at+r.n]...)
		}
		t.regions = append(t.regions, to)
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
		if h.typ.fields[r.field].array > 0 {
			continue
		}
		l := &h.place.fields[r.field]
		if r.heap != uintptr(r.ptr) {
			l.foreign = true
			continue
		}
		if other := byHeap.get(r.heap); other != nil {
			l.foreign = true
			if r.field < len(other.place.fields) {
				other.place.fields[r.field].foreign = true
			}
		}
		if before == nil {
			continue
		}
		for _, b := range before.regions {
			if b.field != r.field {
				continue
			}
			if b.ptr != uintptr(r.ptr) {
				l.foreign = l.foreign || b.cap > r.cap
			} else if !l.owned && overwritten(before.saved[b.at:b.at+b.n], bytesAt(r.ptr, min(r.n, b.n))) {
				l.owned = true
			}
		}
	}
	if before != nil {
		before.id = 0
	}
}

func overwritten(was, now []byte) bool {
	if string(was) == string(now) {
		return false
	}
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
