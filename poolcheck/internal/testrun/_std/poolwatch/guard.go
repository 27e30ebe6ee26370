package poolwatch

import (
	"internal/abi"
	"internal/poolwatch/protocol"
	"internal/strconv"
	"unsafe"
)

// room is what a slot has behind an array in a test binary, so that append stays there. In a
// program of poolcheck build an array has the capacity that it had, and an object that grows
// beyond it moves out.
const room = 64 << 10

// maxInSlot is the largest array that is moved to a slot. It bounds the memory of slots.
const maxInSlot = 64 << 10

// toSlots moves the arrays of bytes of x, of type t, to slots, if own says so of the field. It returns
// the object, and the slots.
func toSlots(x any, t *typeInfo, own func(i int, f *field) bool) (any, []*slot) {
	i := (*eface)(unsafe.Pointer(&x))
	var list []*slot
	for j := range t.fields {
		f := &t.fields[j]
		at := (&held{base: i.data}).at(f)
		if at == nil || !f.bytes || f.array > 0 || !own(j, f) {
			continue
		}
		h := *(*header)(at)
		base, _, _ := heapObject(uintptr(h.data))
		if h.cap < minSlice || h.cap > maxInSlot || base == 0 || base != uintptr(h.data) {
			continue
		}
		n := uintptr(h.cap)
		if !built {
			n += room
		}
		s := newSlot(n)
		if s == nil {
			continue
		}
		move(bytesAt(s.at, uintptr(h.cap)), bytesAt(h.data, uintptr(h.cap)))
		h.data, h.cap = s.at, int(n)
		list = append(list, s)
		if t.value { // the header in an interface is never changed
			i.data = unsafe.Pointer(&h)
			break
		}
		*(*header)(at) = h
	}
	return x, list
}

// relocate moves what a test takes to slots, if it has the type that is looked at.
func relocate(x any) any {
	i := (*eface)(unsafe.Pointer(&x))
	if setup.Mode != protocol.Guard || !ours(i.data) {
		return x
	}
	t := typeOf(i.typ)
	if t.name != setup.Type || t.typ == nil || t.opaque {
		return x
	}
	if t.typ.Kind() == abi.Array && len(t.fields) == 1 {
		if s := newSlot(t.typ.Size_); s != nil {
			move(bytesAt(s.at, t.typ.Size_), bytesAt(i.data, t.typ.Size_))
			i.data = s.at
		}
		return x
	}
	x, _ = toSlots(x, t, func(i int, f *field) bool {
		return f.certain || has(setup.Own, setup.Place+"."+strconv.Itoa(i))
	})
	return x
}

// closeSlots closes the slots of an object that a test puts, if it does so at the place that is looked at, and
// reports whether there were any.
func (h *held) closeSlots() bool {
	if setup.Mode != protocol.Guard || h.place.name != setup.Place {
		return false
	}
	if h.typ.typ != nil && inSlots(h.base) {
		return slotOf(h.base).close(h.place)
	}
	done := false
	for i := range h.regions {
		if r := &h.regions[i]; inSlots(r.ptr) {
			done = slotOf(r.ptr).close(h.place) || done
		}
	}
	return done
}

// pointsTo reports whether a slice of an object is at an address.
func (t *typeInfo) pointsTo(object, at unsafe.Pointer) bool {
	for i := range t.fields {
		if f := &t.fields[i]; f.array == 0 && f.hop == 0 && (*header)(unsafe.Add(object, f.off)).data == at {
			return true
		}
	}
	return false
}
