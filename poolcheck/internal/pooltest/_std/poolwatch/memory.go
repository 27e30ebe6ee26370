package poolwatch

import (
	"internal/strconv"
	"unsafe"
)

// A region is the memory of one of an object's fields: an array of bytes in the object, or
// the array of a slice.
type region struct {
	ptr     unsafe.Pointer
	n       uintptr // that are saved
	cap     uintptr // of the slice, 0 for an array
	at      uintptr // where its content is in saved
	field   int     // index in the type's fields
	heap    uintptr // the heap object that it is in, 0 if it is in the object itself
	compare bool    // it belongs to the object: it must not change
	poison  bool    // it may be overwritten
}

func bytesAt(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }

// move is copy, which the race detector would see.
func move(to, from []byte) int {
	n := min(len(to), len(from))
	if n > 0 {
		memmove(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0]), uintptr(n))
	}
	return n
}

// collect finds the regions of the object.
func (e idleObject) collect() {
	t := e.typ
	if t.opaque || t.typ == nil {
		return
	}
	e.kept = int(t.typ.Size_)
	for i := range t.fields {
		f := &t.fields[i]
		p := unsafe.Add(e.base, f.off)
		if f.array > 0 {
			e.regions = append(e.regions, region{ptr: p, n: f.array, at: f.off, field: i, compare: true, poison: true})
			continue
		}
		h := (*header)(p)
		if h.cap <= 0 {
			continue
		}
		e.kept += h.cap * int(f.elem)
		n := min(uintptr(h.cap)*f.elem, maxRegion)
		start := uintptr(h.data)
		if n < minSlice || start >= uintptr(e.base) && start < uintptr(e.base)+t.typ.Size_ {
			continue // tiny, or in the object's own memory
		}
		whose := &e.place.fields[i]
		base, size, _ := heapObject(start)
		if !inPages(h.data) && (base == 0 || start+n > base+size) {
			whose.foreign = true
			continue
		}
		r := region{ptr: h.data, n: n, cap: uintptr(h.cap), field: i, heap: base}
		r.compare = (f.certain || whose.owned && !records) && !whose.foreign
		r.poison = r.compare && f.bytes && (start == base || base == 0)
		if !r.compare {
			if !records {
				continue
			}
			r.n = min(n, learnBytes)
		}
		e.regions = append(e.regions, r)
	}
}

// claim leaves those regions alone that another idle object has, too.
func (e idleObject) claim() {
	for i := range e.regions {
		r := &e.regions[i]
		if r.heap == 0 {
			continue
		}
		if bases.get(r.heap) != nil {
			r.poison, r.compare, r.heap = false, false, 0
			continue
		}
		bases.set(r.heap, e.entry)
		e.heaps = append(e.heaps, r.heap)
	}
}

// save keeps the content of the object.
func (e idleObject) save() {
	own := e.ownSize()
	total := own
	for i := range e.regions {
		if r := &e.regions[i]; r.cap > 0 {
			r.at = total
			total += r.n
		}
	}
	if uintptr(cap(e.saved)) < total {
		e.saved = make([]byte, total)
	}
	e.saved = e.saved[:total]
	if own > 0 {
		move(e.saved, bytesAt(e.base, own))
	}
	for i := range e.regions {
		if r := &e.regions[i]; r.cap > 0 {
			move(e.saved[r.at:], bytesAt(r.ptr, r.n))
		}
	}
}

// ownSize is the length of the object's own memory that is saved and compared.
func (e idleObject) ownSize() uintptr {
	if e.typ.value {
		return 0
	}
	return e.typ.size
}

// overwrite writes the poison of the place of Put over the bytes that belong to the
// object.
func (e idleObject) overwrite() {
	for i := range e.regions {
		r := &e.regions[i]
		if !r.poison {
			continue
		}
		b := bytesAt(r.ptr, r.n)
		for len(b) > 0 {
			b = b[move(b, e.place.pattern):]
		}
		e.poisoned = true
	}
}

// check reports a change of the object since Put.
func (e idleObject) check() {
	if e.again || len(e.saved) == 0 {
		return
	}
	if n := e.ownSize(); n > 0 && string(bytesAt(e.base, n)) != string(e.saved[:n]) {
		for _, s := range e.typ.spans {
			if string(bytesAt(unsafe.Add(e.base, s.off), s.n)) != string(e.saved[s.off:s.off+s.n]) {
				reportWrite(e.place, "-", s.path, 0, 0)
				return
			}
		}
	}
	for i := range e.regions {
		r := &e.regions[i]
		now, was := bytesAt(r.ptr, r.n), e.saved[r.at:r.at+r.n]
		at := uintptr(0)
		if e.poisoned && r.poison {
			var whole bool
			if at, whole = e.place.whole(now); whole {
				continue
			}
		} else if string(now) == string(was) {
			continue
		} else {
			at = difference(now, was)
		}
		if f := &e.typ.fields[r.field]; f.certain && r.compare {
			reportWrite(e.place, strconv.Itoa(r.field), f.path, at, r.n)
			return
		}
		e.place.fields[r.field].foreign = true // it may be somebody else's
	}
}

func difference(a, b []byte) uintptr {
	for i := range a {
		if a[i] != b[i] {
			return uintptr(i)
		}
	}
	return 0
}

// restore writes the saved content over the poison, and leaves what others wrote.
func (e idleObject) restore() {
	if !e.poisoned {
		return
	}
	for i := range e.regions {
		r := &e.regions[i]
		if !r.poison {
			continue
		}
		now, was := bytesAt(r.ptr, r.n), e.saved[r.at:r.at+r.n]
		if _, whole := e.place.whole(now); whole {
			move(now, was)
			continue
		}
		for i := range now {
			if now[i] == e.place.pattern[i%len(e.place.pattern)] {
				now[i] = was[i]
			}
		}
	}
	e.poisoned = false
}

// announce tells the race detector that Put has written the memory of the object.
func (e idleObject) announce(caller, pc uintptr) {
	if e.ownSize() > 0 {
		for _, s := range e.typ.spans {
			raceWrite(unsafe.Add(e.base, s.off), s.n, caller, pc)
		}
	}
	for i := range e.regions {
		if r := &e.regions[i]; r.poison || r.compare {
			raceWrite(r.ptr, r.n, caller, pc)
		}
	}
}
