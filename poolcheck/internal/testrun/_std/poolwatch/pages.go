package poolwatch

import (
	"internal/abi"
	"internal/strconv"
	"unsafe"
)

// In the run that looks for a reader, the slices of the objects of one type live in
// mappings of their own, and Put at one place makes them inaccessible, for good. Where
// package os sets no Reserve there is none of this.

const (
	arenaSize = 1 << (29 + 3*(^uintptr(0)>>63)) // 512 MiB, or 4 GiB with 64 bits: some 20,000 slices
	pageSize  = 64 << 10                        // a multiple of every page's size
	room      = 64 << 10                        // behind a slice, so that append stays
)

// What package os sets: to reserve n bytes that cannot be accessed, and to make some
// of them accessible or not. Hide also drops what is there.
var (
	Reserve func(n uintptr) unsafe.Pointer
	Open    func(p unsafe.Pointer, n uintptr) bool
	Close   func(p unsafe.Pointer, n uintptr) bool
	Hide    func(p unsafe.Pointer, n uintptr) bool
)

var (
	arena unsafe.Pointer
	used  uintptr
)

func inPages(p unsafe.Pointer) bool {
	return arena != nil && uintptr(p)-uintptr(arena) < arenaSize
}

// newPages returns memory of at least n bytes, and its size, or nil.
func newPages(n uintptr) (unsafe.Pointer, uintptr) {
	if arena == nil && Reserve != nil {
		arena = Reserve(arenaSize)
	}
	n = (n + pageSize - 1) &^ (pageSize - 1)
	if arena == nil || n > arenaSize-used {
		return nil, 0
	}
	p := unsafe.Add(arena, used)
	if !Open(p, n) {
		return nil, 0
	}
	used += n + pageSize // and a page between
	return p, n
}

// relocate moves the slices of x to mappings, if it has the type that is looked at.
func relocate(x any) any {
	i := (*eface)(unsafe.Pointer(&x))
	if guarded == "" || !ours(i.data) {
		return x
	}
	t := typeOf(i.typ)
	if t.name != guardType || t.typ == nil || t.opaque {
		return x
	}
	if t.typ.Kind() == abi.Array && len(t.fields) == 1 {
		if p, _ := newPages(t.typ.Size_); p != nil {
			move(bytesAt(p, t.typ.Size_), bytesAt(i.data, t.typ.Size_))
			i.data = p
		}
		return x
	}
	base := i.data
	if t.value { // the header in an interface is never changed
		h := *(*header)(base)
		i.data = unsafe.Pointer(&h)
		base = i.data
	}
	for j := range t.fields {
		f := &t.fields[j]
		at := (&held{base: base}).at(f)
		if at == nil {
			continue
		}
		h := (*header)(at)
		if !f.bytes || f.array > 0 || inPages(h.data) || !f.certain && !listed("own", guarded+"."+strconv.Itoa(j)) {
			continue
		}
		p, n := newPages(uintptr(h.cap) + room)
		if p == nil {
			continue
		}
		move(bytesAt(p, n), unsafe.Slice((*byte)(h.data), h.cap))
		h.data, h.cap = p, int(n)
	}
	return x
}

// protect makes the slices of the object inaccessible if it is put at the place that is
// looked at, and reports whether it did.
func (h *held) protect() bool {
	if guarded == "" || h.place.name != guarded {
		return false
	}
	if h.typ.typ != nil && inPages(h.base) {
		return Hide(h.base, h.typ.typ.Size_)
	}
	done := false
	for i := range h.regions {
		if r := &h.regions[i]; inPages(r.ptr) {
			start := uintptr(r.ptr) &^ (4<<10 - 1)
			before := uintptr(r.ptr) - start
			done = Hide(unsafe.Add(r.ptr, -int(before)), r.n+before) || done
		}
	}
	return done
}
