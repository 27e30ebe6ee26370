package poolwatch

import (
	"internal/poolwatch/protocol"
	"internal/strconv"
	"runtime"
	"unsafe"
)

// collect finds the regions of the object.
func (h *held) collect() {
	t := h.typ
	if t.opaque || t.typ == nil {
		return
	}
	for i := range t.fields {
		f := &t.fields[i]
		p := h.at(f)
		if p == nil {
			continue
		}
		if f.array > 0 {
			h.regions = append(h.regions, region{ptr: p, n: f.array, at: f.off, field: i, compare: true, poison: true})
			continue
		}
		array := (*header)(p)
		if array.cap <= 0 {
			continue
		}
		n := min(uintptr(array.cap)*f.elem, maxRegion)
		start := uintptr(array.data)
		if n < minSlice || start >= uintptr(h.base) && start < uintptr(h.base)+t.typ.Size_ {
			continue // tiny, or in the object's own memory
		}
		whose := &h.place.fields[i]
		base, size, _ := heapObject(start)
		if !inSlots(array.data) && start+n > base+size { // of C, or more than one heap object
			whose.foreign = true
			continue
		}
		r := region{ptr: array.data, n: n, cap: uintptr(array.cap), field: i, heap: base}
		r.compare = (f.certain || whose.owned && !records()) && !whose.foreign
		r.poison = r.compare && f.bytes && (start == base || base == 0)
		if !r.compare {
			if !records() {
				continue
			}
			r.n = min(n, learnBytes)
		}
		h.regions = append(h.regions, r)
	}
}

// at returns where a field is, nil if it is behind a pointer that leads to no memory of the heap.
func (h *held) at(f *field) unsafe.Pointer {
	if f.hop == 0 {
		return unsafe.Add(h.base, f.off)
	}
	if p := h.buffer(f); p != nil && ours(p) {
		return unsafe.Add(p, f.off)
	}
	return nil
}

// buffer returns the pointer that a field is behind.
func (h *held) buffer(f *field) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Add(h.base, f.hop-1))
}

// save keeps the content of the object.
func (h *held) save() {
	own := h.typ.size
	total := own
	for i := range h.regions {
		if r := &h.regions[i]; r.cap > 0 {
			r.at = total
			total += r.n
		}
	}
	if uintptr(cap(h.saved)) < total {
		h.saved = make([]byte, total)
	}
	h.saved = h.saved[:total]
	if own > 0 {
		move(h.saved, bytesAt(h.base, own))
	}
	for _, r := range h.regions {
		if r.cap > 0 {
			move(h.saved[r.at:], bytesAt(r.ptr, r.n))
		}
	}
}

// overwrite writes the poison of the place of Put over the bytes that belong to the object.
func (h *held) overwrite() {
	for _, r := range h.regions {
		if !r.poison {
			continue
		}
		b := bytesAt(r.ptr, r.n)
		for len(b) > 0 {
			b = b[move(b, h.place.pattern):]
		}
		h.poisoned = true
	}
}

// check reports a change of the object since Put.
func (h *held) check() {
	if h.again || len(h.saved) == 0 {
		return
	}
	if n := h.typ.size; n > 0 && asString(bytesAt(h.base, n)) != asString(h.saved[:n]) {
		for _, s := range h.typ.spans {
			if asString(bytesAt(unsafe.Add(h.base, s.off), s.n)) != asString(h.saved[s.off:s.off+s.n]) {
				h.written("-", s.path)
				return
			}
		}
	}
	for _, r := range h.regions {
		now, was := bytesAt(r.ptr, r.n), h.saved[r.at:r.at+r.n]
		same := asString(now) == asString(was)
		if h.poisoned && r.poison {
			same = h.place.whole(now)
		}
		if same {
			continue
		}
		if f := &h.typ.fields[r.field]; f.certain && r.compare {
			h.written(strconv.Itoa(r.field), f.path)
			return
		}
		h.place.fields[r.field].foreign = true // it may be somebody else's
	}
}

// written reports that a part of the object changed after Put. The field is - for the struct itself.
func (h *held) written(field, path string) {
	h.again = true // anything more is the same
	h.place.happened(protocol.Write, field, path)
}

// restore writes the saved content over the poison, and leaves what others wrote.
func (h *held) restore() {
	if !h.poisoned {
		return
	}
	for _, r := range h.regions {
		if !r.poison {
			continue
		}
		now, was := bytesAt(r.ptr, r.n), h.saved[r.at:r.at+r.n]
		if h.place.whole(now) {
			move(now, was)
			continue
		}
		for i := range now {
			if now[i] == h.place.pattern[i%len(h.place.pattern)] {
				now[i] = was[i]
			}
		}
	}
	h.poisoned = false
}

// announce tells the race detector that Put has written the memory of the object.
func (h *held) announce() {
	var pcs [shownFrames]uintptr
	calls := pcs[:runtime.Callers(5, pcs[:])]
	if h.typ.size > 0 {
		for _, s := range h.typ.spans {
			if !s.shared {
				raceWrite(unsafe.Add(h.base, s.off), s.n, calls)
			}
		}
	}
	for _, r := range h.regions {
		if r.poison || r.compare {
			raceWrite(r.ptr, r.n, calls)
		}
	}
}
