package poolwatch

import (
	"internal/poolwatch/protocol"
	"unsafe"
)

// A slot is memory for one array of an object that is taken. The Put of the object closes
// it. An access to a closed slot faults: the signal handler notes the stack and makes the
// slot accessible again, so that the program goes on. There are slots on Linux alone.
type slot struct {
	at    unsafe.Pointer
	size  uintptr // in use
	taken bool
	place *place // of the Put that has closed it; nil if it is not closed
}

const (
	slotSize = 1 << (16 + 4*(^uintptr(0)>>63)) // 64 KiB, or 1 MiB with 64 bits: addresses, and not memory
	pageSize = 4 << 10
)

// slots are more than may be closed at a time, since some are lost: those of objects that moved out, or that
// nobody put. They stay open, because somebody may rightly have that memory.
var (
	slots     []slot
	slotsBase unsafe.Pointer // nil if there are none
	nextSlot  int
)

// newSlot returns the address of a slot of at least n bytes, nil if there is none.
func newSlot(n uintptr) unsafe.Pointer {
	if slots == nil {
		slots = make([]slot, 4096)
		slotsBase = reserve(uintptr(len(slots))*slotSize, slotSize)
	}
	if n == 0 || n > slotSize || slotsBase == nil {
		return nil
	}
	for range slots {
		i := nextSlot
		nextSlot = (nextSlot + 1) % len(slots)
		if s := &slots[i]; !s.taken {
			*s = slot{at: unsafe.Add(slotsBase, i*slotSize), size: (n + pageSize - 1) &^ (pageSize - 1)}
			if s.taken = protect(uintptr(s.at), s.size, true); s.taken {
				return s.at
			}
			return nil
		}
	}
	return nil
}

// inSlots reports whether an address is in a slot.
func inSlots(p unsafe.Pointer) bool {
	return slotsBase != nil && uintptr(p)-uintptr(slotsBase) < uintptr(len(slots))*slotSize
}

func slotOf(p unsafe.Pointer) *slot {
	return &slots[(uintptr(p)-uintptr(slotsBase))/slotSize]
}

// ours reports whether memory is there for as long as something points to it.
func ours(p unsafe.Pointer) bool {
	base, _, _ := heapObject(uintptr(p))
	return base != 0 || inSlots(p)
}

// release gives a slot back, of whose content nothing is left.
func (s *slot) release() {
	protect(uintptr(s.at), s.size, false)
	discard(s.at, s.size)
	s.taken, s.place = false, nil
}

// drainFaults reports the accesses to closed slots. It comes before whatever changes whose a slot is.
func drainFaults() {
	for {
		addr, pcs := nextFault()
		if addr == 0 {
			return
		}
		s := slotOf(*(*unsafe.Pointer)(unsafe.Pointer(&addr)))
		s.size = slotSize // the handler has opened all of it
		if s.place != nil {
			s.place.happened(protocol.Access, frames(pcs)...)
		}
	}
}
