package magazine

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/rt"
)

// Shared is what all classes of a pool have in common.
type Shared struct {
	Portable bool // stripes in place of processors; this and the next do not change
	Steps    int  // classes a doubling
	Budget   Budget
	Excess   Excess
	Mu       sync.Mutex // held to age, to add records, and to open and close classes
}

// A Class keeps items of one capacity.
//
// Its records stand in a table, one a processor, or one a stripe in the
// portable engine. When GOMAXPROCS outgrows the table a larger one takes its
// place, whose stacks are empty: nothing is copied, so nothing can be in two
// tables. The old one is kept for its counters, and what its stacks held is
// dropped.
type Class struct {
	*Head
	shared *Shared
	room   int // items that a stack may hold
	depot  depot

	opened bool                    // to the fast paths, once there are records; under Shared.Mu
	n      atomic.Uintptr          // records in the newest table
	tables atomic.Pointer[[]table] // all there were, oldest first; changed under Shared.Mu

	dropped [reasons]atomic.Uint64
}

// A Head is what the fast paths need of a class. The heads of a pool lie side by
// side. A class is open or closed to the fast paths. While it is closed, every
// operation takes the slow path, which handles whatever is out of the ordinary; in the
// portable engine it always is.
//
// Readers load the number before records. A larger table is published in the other
// order, so that it has at least as many records, whatever they see.
type Head struct {
	open    atomic.Uintptr // records in the newest table; 0 if the class is closed
	records records        // the newest table

	Capacity uintptr // bytes an item; 0 for objects without a slice. This and the next do not change
	Beyond   uintptr // how many more an item may have, if the class is odd
}

// Record returns processor pid's record, or nil if the class is closed. The caller is
// pinned to that processor (see rt.Pin), and holds the record until it unpins.
func (c *Head) Record(pid int) *Record {
	if uintptr(pid) >= c.open.Load() {
		return nil
	}
	return c.records.at(uintptr(pid))
}

// A table is the records of one class.
type table []Record

// Records returns how many records a class begins with: one for each processor
// there may be without growing GOMAXPROCS beyond the machine, or four stripes a
// processor, from 8 to 64, so that two goroutines that run seldom meet.
func Records(portable bool) int {
	n := max(runtime.GOMAXPROCS(0), runtime.NumCPU())
	if portable {
		return min(max(4*n, 8), 64)
	}
	return n
}

// spareBytes is what the depots of the classes of one doubling keep beyond what was used.
const spareBytes = 4 << 20

// A stack holds as many items as have stackBytes, or fewItems if they have no more than fewBytes,
// or one. So what goes through a channel, a few at a time, finds room. More does not pay: to move
// an item to the depot and back takes a tenth of a microsecond, and half a stack moves at once; to
// write 64 KiB takes microseconds. And no other processor finds what lies on a stack: with stacks
// twice as large, below a memory limit, a goroutine that moves between processors needs a quarter more
// collections (octet bench --run turns/limit). So all stacks of the classes of one doubling together
// hold allBytes, or one item each, and a quarter of allBytes where they hold more than fewItems.
const stackBytes, fewItems, fewBytes, allBytes = 64 << 10, 4, 256 << 10, 2 << 20

// StackRoom returns how many items a stack of a class with the given capacity holds. Where the
// budget bounds what is kept, it sets room for the stacks of the class aside, one of so many
// between which half of the budget is divided.
func (s *Shared) StackRoom(capacity, classes int) int {
	if capacity == 0 {
		return slots
	}
	stacks := runtime.GOMAXPROCS(0)
	if s.Portable {
		stacks = Records(true)
	}
	share := allBytes / (stacks * max(s.Steps, 1))
	n := min(slots, min(stackBytes, share/4)/capacity)
	if s.Budget.bounded {
		return s.Budget.setAside(n, capacity, classes)
	}
	return max(1, n, min(fewItems, min(fewBytes, share)/capacity))
}

// Init makes c a class whose head is h, with stacks of so many items. Each of them counts so many
// bytes: more than the capacity where items are odd.
func (c *Class) Init(h *Head, s *Shared, room, bytes int) {
	c.Head, c.shared, c.room = h, s, room
	c.depot.init(bytes, s)
}

// Open opens c to the fast paths, or closes it. The caller holds Shared.Mu.
func (c *Class) Open(open bool) {
	c.opened = open
	n := c.n.Load()
	if !open || c.shared.Portable {
		n = 0
	}
	c.Head.open.Store(n)
}

// Pin returns the record of c that the caller holds until Unpin. It must not do
// meanwhile what rt.Pin forbids.
func (c *Class) Pin() *Record {
	if c.shared.Portable {
		return c.lockStripe()
	}
	for {
		pid := rt.Pin()
		if uintptr(pid) < c.n.Load() {
			return c.records.at(uintptr(pid))
		}
		rt.Unpin()
		c.extend(max(pid+1, Records(false)))
	}
}

// Unpin ends what Pin began.
func (c *Class) Unpin(l *Record) {
	if c.shared.Portable {
		l.mu.Unlock()
	} else {
		rt.Unpin()
	}
}

// repin is Pin for a caller that has just unpinned l. In the portable engine it
// returns l again: deeper down the stack the caller's own stripe may be another
// one, and what is left there would not be looked for there.
func (c *Class) repin(l *Record) *Record {
	if c.shared.Portable {
		l.mu.Lock()
		return l
	}
	return c.Pin()
}

// lockStripe locks a record near the caller's own. One that is taken is passed
// over; only if several are does the caller wait.
func (c *Class) lockStripe() *Record {
	if c.n.Load() == 0 {
		c.extend(Records(true))
	}
	n := c.n.Load()
	own := stripeOf(n)
	for i := range uintptr(4) {
		if l := c.records.at((own + i) % n); l.mu.TryLock() {
			return l
		}
	}
	l := c.records.at(own)
	l.mu.Lock()
	return l
}

// stripeOf returns which of n stripes is nearest to the caller.
func stripeOf(n uintptr) uintptr { return uintptr(uint64(rt.Stripe()) * uint64(n) >> 32) }

// extend gives c a table of at least n records.
func (c *Class) extend(n int) {
	c.shared.Mu.Lock()
	defer c.shared.Mu.Unlock()
	if c.n.Load() >= uintptr(n) {
		return
	}
	t := make(table, n)
	for i := range t {
		room := c.room
		if i >= c.shared.Budget.records && c.shared.Budget.bounded {
			room = 0 // the budget was divided before
		}
		t[i].init(i, room)
	}
	var tables []table
	if old := c.tables.Load(); old != nil {
		tables = append(tables, *old...)
	}
	tables = append(tables, t)
	c.tables.Store(&tables)
	c.records.set(t)
	c.n.Store(uintptr(n))
	c.Open(c.opened)
	for l := range (recordsOf{tables[:len(tables)-1], c.shared.Portable}).each {
		l.drop()
	}
}

// all returns the records that c has had.
func (c *Class) all() recordsOf {
	if t := c.tables.Load(); t != nil {
		return recordsOf{*t, c.shared.Portable}
	}
	return recordsOf{}
}

// recordsOf are the records of tables.
type recordsOf struct {
	tables   []table
	portable bool
}

// each yields them. In the portable engine it holds each of them meanwhile; in the pinned
// one their holders may be at work. (It is ranged over without allocating, which a function
// that is returned is not.)
func (r recordsOf) each(yield func(*Record) bool) {
	for _, t := range r.tables {
		for i := range t {
			l := &t[i]
			if r.portable {
				l.mu.Lock()
			}
			more := yield(l)
			if r.portable {
				l.mu.Unlock()
			}
			if !more {
				return
			}
		}
	}
}
