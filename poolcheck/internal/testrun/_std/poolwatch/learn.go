package poolwatch

import (
	"internal/poolwatch/protocol"
	"internal/strconv"
	"unsafe"
)

// Whether a slice in a struct belongs to the struct is learnt in the runs without
// poison, for each place of Put and each field. It does
//
//   - if an object comes back with the buffer that it pointed to when it was made or
//     taken, and no other object was seen to point there,
//   - if it comes back with the array that it was taken with, and in between a byte
//     that was not zero was overwritten. For slices of which the first run does not
//     know, a second one writes poison at Get, so that also what is always the same
//     is seen to be written;
//
// unless an array was ever replaced by a smaller one, or a buffer by another, began
// inside a heap object, was in two idle objects at once, or changed while the object
// was idle. A caller's buffer fails on one of these, and so does an arena, which does
// not overwrite.

// A takenObject is what the slices of an object were when it was taken. It keeps nothing
// alive.
type takenObject struct {
	id     uintptr
	typ    *typeInfo
	slices []takenSlice // by the type's fields, or longer
}

type takenSlice struct {
	buffer   uintptr // that the object points to
	ptr, cap uintptr // 0 if there was none
	saved    []byte  // what it began with, if it may be somebody else's
}

// taken has the objects that were taken and not put yet, where one with another address may
// take a place: an object that is not found teaches nothing.
var taken [4096]takenObject

func takenSlot(id uintptr) *takenObject {
	return &taken[hash(id)%uint64(len(taken))]
}

// learnAtGet notes the slices of an object that is taken.
func (h *held) learnAtGet(made bool) {
	n := len(h.typ.fields)
	if !records() || n == 0 || h.id == 0 {
		return
	}
	t := takenSlot(h.id)
	t.id, t.typ = h.id, h.typ
	if len(t.slices) < n {
		t.slices = make([]takenSlice, n)
	}
	for i := range n {
		s := &t.slices[i]
		s.ptr, s.buffer = 0, 0
		if f := &h.typ.fields[i]; f.hop > 0 {
			s.buffer = uintptr(h.buffer(f))
			shared(s.buffer, h.id)
		}
	}
	for _, r := range h.regions {
		s := &t.slices[r.field]
		s.ptr, s.cap, s.saved = uintptr(r.ptr), r.cap, s.saved[:0]
		if f := &h.typ.fields[r.field]; !f.certain {
			b := bytesAt(r.ptr, min(h.filled(f, r), learnBytes))
			if l := h.place.fields[r.field]; setup.Mode == protocol.Plants && !made && f.bytes && f.hop == 0 && !l.owned && !l.foreign {
				move(b, h.place.pattern)
			}
			s.saved = append(s.saved, b...)
		}
	}
}

// filled returns how many bytes of a region the object has filled, or all of them if it has emptied the slice: an
// arena writes behind what it has, and a buffer over it.
func (h *held) filled(f *field, r region) uintptr {
	if n := uintptr((*header)(h.at(f)).len) * f.elem; n > 0 {
		return min(n, r.n)
	}
	return r.n
}

// learnAtMade notes the slices of an object that New has made.
func learnAtMade(x any) {
	i := (*eface)(unsafe.Pointer(&x))
	if !records() || !ours(i.data) {
		return
	}
	t := typeOf(i.typ)
	h := newHeld(x, t)
	h.place = &place{fields: make([]ownership, len(t.fields))}
	h.collect()
	h.learnAtGet(true)
	h.release()
}

// learnAtPut compares the slices of an object with those that it had when it was taken.
func (h *held) learnAtPut() {
	if !records() || len(h.typ.fields) == 0 || h.id == 0 {
		return
	}
	before := takenSlot(h.id)
	if before.id != h.id || before.typ != h.typ {
		before = nil
	}
	for _, r := range h.regions {
		if r.cap == 0 {
			continue
		}
		l := &h.place.fields[r.field]
		f := &h.typ.fields[r.field]
		l.seen = l.seen || f.bytes && !f.certain
		l.foreign = l.foreign || r.heap != uintptr(r.ptr)
		if other := byHeap.get(r.heap); other != nil {
			l.foreign = true
			for _, theirs := range other.regions {
				if theirs.heap == r.heap {
					other.place.fields[theirs.field].foreign = true
				}
			}
		}
		if before == nil {
			continue
		}
		b := &before.slices[r.field]
		if f.hop > 0 {
			p := uintptr(h.buffer(f))
			l.owned = l.owned || b.buffer == p
			l.foreign = l.foreign || b.buffer != 0 && b.buffer != p || shared(p, h.id)
			continue
		}
		switch {
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

// owners has the objects that were first seen to point to a buffer, where one with another address may take a
// place, so that not all are seen that share one.
var owners [4096]struct{ buffer, id uintptr }

// shared reports whether another object than that with an identity was seen to point to a buffer.
func shared(buffer, id uintptr) bool {
	if buffer == 0 {
		return false
	}
	o := &owners[hash(buffer)%uint64(len(owners))]
	if o.buffer != buffer {
		o.buffer, o.id = buffer, id
	}
	return o.id != id
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
			case !records():
			case whose.foreign:
				report(protocol.Foreign, p.name+"."+strconv.Itoa(i))
			case whose.owned:
				report(protocol.Owned, p.name+"."+strconv.Itoa(i))
			case whose.seen:
				report(protocol.Unsure, p.name+"."+strconv.Itoa(i))
			}
		}
	}
}
