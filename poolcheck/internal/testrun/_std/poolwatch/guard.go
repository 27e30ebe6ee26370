package poolwatch

import (
	"internal/abi"
	"internal/poolwatch/protocol"
	"internal/strconv"
	"slices"
	"unsafe"
)

const (
	// maxInSlot is the largest array that is moved to a slot. It bounds the memory of slots.
	maxInSlot = 64 << 10

	// room is what a slot has behind an array in a test binary, so that append stays there. In a
	// program of poolcheck build an array has the capacity that it had, and an object that grows
	// beyond it moves out.
	room = 64 << 10
)

// toSlots moves the bytes of an object that is taken to slots, if they are its own. It returns the object, and whether
// something was moved. A test binary moves those of the type that it looks at.
func toSlots(x any) (any, bool) {
	i := (*eface)(unsafe.Pointer(&x))
	if !Sampling && setup.Mode != protocol.Guard || !ours(i.data) {
		return x, false
	}
	t := typeOf(i.typ)
	if !Sampling && t.name != setup.Type || t.typ == nil || t.opaque || byID.get(uintptr(i.data)) != nil {
		return x, false
	}
	if !Sampling && t.typ.Kind() == abi.Array && len(t.fields) == 1 {
		at := newSlot(t.typ.Size_)
		if at != nil {
			move(bytesAt(at, t.typ.Size_), bytesAt(i.data, t.typ.Size_))
			i.data = at
		}
		return x, at != nil
	}
	moved := false
	for j := range t.fields {
		f := &t.fields[j]
		at := (&held{base: i.data}).at(f)
		if at == nil || !f.bytes || f.array > 0 || !t.owns(j) {
			continue
		}
		h := *(*header)(at)
		base, _, _ := heapObject(uintptr(h.data))
		if h.cap < minSlice || h.cap > maxInSlot || base == 0 || base != uintptr(h.data) {
			continue
		}
		n := uintptr(h.cap)
		if !Sampling {
			n += room
		}
		to := newSlot(n)
		if to == nil {
			continue
		}
		move(bytesAt(to, uintptr(h.cap)), bytesAt(h.data, uintptr(h.cap)))
		h.data, h.cap = to, int(n)
		moved = true
		if t.value { // the header in an interface is never changed
			i.data = unsafe.Pointer(&h)
			break
		}
		*(*header)(at) = h
	}
	return x, moved
}

// owns reports whether a field of bytes belongs to the object that is taken: by its type, or, in a test binary, by
// what the runs before have shown.
func (t *typeInfo) owns(field int) bool {
	f := &t.fields[field]
	if Sampling {
		return f.hop == 0 && (f.certain || t.sole)
	}
	return f.certain || slices.Contains(setup.Own, setup.Place+"."+strconv.Itoa(field))
}

// closeSlots makes the slots inaccessible in which an object has bytes when it is put. A test binary does so at the
// place that it looks at.
func (h *held) closeSlots() {
	if !Sampling && (setup.Mode != protocol.Guard || h.place.name != setup.Place) {
		return
	}
	if inSlots(h.base) {
		h.closeSlot(h.base)
		return
	}
	for i := range h.typ.fields {
		f := &h.typ.fields[i]
		if at := h.at(f); at != nil && f.array == 0 {
			h.closeSlot((*header)(at).data)
		}
	}
}

// closeSlot closes the slot that begins at an address, if there is one, until the object is released.
func (h *held) closeSlot(at unsafe.Pointer) {
	if !inSlots(at) {
		return
	}
	if s := slotOf(at); s.at == at && s.taken && s.place == nil {
		s.place = h.place
		protect(uintptr(s.at), s.size, false)
		h.slots = append(h.slots, s)
	}
}
