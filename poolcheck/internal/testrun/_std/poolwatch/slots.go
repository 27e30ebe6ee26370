package poolwatch

import (
	"internal/abi"
	"unsafe"
)

// A slot is memory in which the bytes of one object are, from a Get to its Put and for as long as the object is
// watched then. Put makes it inaccessible. Whoever reads or writes it faults: the signal handler notes the stack
// and the slot becomes accessible again, so that the program goes on. The object has its slice as before, with
// the capacity that it had; if it grows beyond that, it moves out.
type slot struct {
	at   unsafe.Pointer
	size uintptr
}

const (
	slotSize = 64 << 10
	maxSlots = 1024
)

var (
	slots     unsafe.Pointer // maxSlots of them
	slotUsers [maxSlots]*watched
	nextSlot  int
)

// newSlot returns memory of n bytes, nil if there is none.
func (w *watched) newSlot(n uintptr) unsafe.Pointer {
	if n == 0 || n > slotSize || Reserve == nil {
		return nil
	}
	if slots == nil {
		slots = Reserve(maxSlots * slotSize)
		if slots == nil {
			Reserve = nil
			return nil
		}
		setFaultRange(uintptr(slots), maxSlots*slotSize)
	}
	for range maxSlots {
		i := nextSlot
		nextSlot = (nextSlot + 1) % maxSlots
		if slotUsers[i] != nil {
			continue
		}
		p := unsafe.Add(slots, i*slotSize)
		size := (n + 4095) &^ 4095
		if !Open(p, size) {
			return nil
		}
		slotUsers[i] = w
		w.slots = append(w.slots, slot{p, size})
		return p
	}
	return nil
}

// freeSlots gives the slots of an object back, of which nothing is left.
func (w *watched) freeSlots() {
	for _, s := range w.slots {
		Hide(s.at, s.size)
		slotUsers[(uintptr(s.at)-uintptr(slots))/slotSize] = nil
	}
	w.slots = nil
}

// guard moves the bytes of an object that is taken to slots, if they are its own, and returns it.
func guard(x any) any {
	i := (*eface)(unsafe.Pointer(&x))
	if byKey.get(keyOf(x)) != nil || !ours(i.data) {
		return x
	}
	t := typeOf(i.typ)
	if t.typ == nil || t.opaque {
		return x
	}
	var w *watched
	for j := range t.fields {
		f := &t.fields[j]
		if !f.bytes || f.array > 0 || f.hop > 0 || !f.certain && !t.sole {
			continue
		}
		h := (*header)(unsafe.Add(i.data, f.off))
		base, _, _ := heapObject(uintptr(h.data))
		if h.cap < minSlice || h.cap > slotSize || base == 0 || base != uintptr(h.data) {
			continue
		}
		if w == nil {
			if w = newWatched(x, keyOf(x), t); w == nil {
				return x
			}
		}
		p := w.newSlot(uintptr(h.cap))
		if p == nil {
			continue
		}
		move(bytesAt(p, uintptr(h.cap)), unsafe.Slice((*byte)(h.data), h.cap))
		if t.value { // the header in an interface is never changed
			own := header{p, h.len, h.cap}
			i.data = unsafe.Pointer(&own)
			break
		}
		h.data = p
	}
	switch {
	case w == nil:
	case len(w.slots) == 0:
		w.forget()
	case t.head: // its array is what it is known by
		byKey.remove(w.key)
		if m := markOf(w.key); m.Load() == w.key {
			m.Store(0)
		}
		w.key = keyOf(x)
		byKey.set(w.key, w)
		markOf(w.key).Store(w.key)
		w.obj = nil
	default:
		w.obj = nil // its owner may leave it to the collector
	}
	return x
}

// astray has the slots of objects that have moved out, or died and left their address to another. Somebody may
// have that memory still, and rightly: it is never used again.
var astray watched

// putBack makes the slots of an object that is put inaccessible, and keeps it. It reports false if the object has
// none of them any more.
func (w *watched) putBack(x any, pcs []uintptr) bool {
	i := (*eface)(unsafe.Pointer(&x))
	own := w.slots[:0]
	for _, s := range w.slots {
		if typeOf(i.typ) == w.typ && w.typ.pointsTo(i.data, s.at) {
			own = append(own, s)
		} else {
			slotUsers[(uintptr(s.at)-uintptr(slots))/slotSize] = &astray
		}
	}
	w.slots = own
	if len(own) == 0 {
		w.forget()
		return false
	}
	for _, s := range own {
		Close(s.at, s.size)
	}
	w.place = placeOf(pcs, w.typ)
	w.obj, w.base = x, i.data
	w.regions, w.saved = w.regions[:0], w.saved[:0]
	w.queue()
	return true
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

// drainFaults reports what has read or written slots. It comes before whatever changes whose a slot is.
func drainFaults() {
	for {
		addr, pcs := nextFault()
		if addr == 0 {
			return
		}
		w := slotUsers[(addr-uintptr(slots))/slotSize]
		if w != nil && w.isIdle {
			found(&finding{code: "OCT001", what: "is accessed after it was put", place: w.place, other: frames(pcs)})
		}
	}
}

// isSole reports whether a struct has one slice of bytes, and nothing else that leads to memory: it is its own.
func isSole(t *abi.Type) bool {
	if t.Kind() != abi.Struct {
		return false
	}
	s := (*abi.StructType)(unsafe.Pointer(t))
	n := 0
	for i := range s.Fields {
		f := s.Fields[i].Typ
		switch {
		case f.PtrBytes == 0:
		case isBytes(f):
			n++
		default:
			return false
		}
	}
	return n == 1
}
