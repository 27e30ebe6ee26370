package magazine

import (
	"runtime"
	"sync/atomic"
)

// A Budget is the bytes that a pool keeps idle at most. Depots count what they keep. To
// count stacks as they change would take a shared counter on the hot path: half of the
// budget, and of what is left then for each type of objects, is set aside for them, in equal
// shares for each record and class, as if stacks were full. A class without a share lives in
// its depot.
type Budget struct {
	Total   int64 // 0 for no bound
	bounded bool
	records int          // for which shares are set aside in each class
	left    atomic.Int64 // what depots may still take
	refused atomic.Bool  // since Refused was called last
}

// Init sets the bytes, 0 for no bound, of a pool whose classes begin with so many records.
func (b *Budget) Init(total int64, records int) {
	b.Total, b.bounded, b.records = max(total, 0), total > 0, records
	b.left.Store(total)
}

// Refused reports whether b had no room for something since the last call.
func (b *Budget) Refused() bool { return b.bounded && b.refused.Swap(false) }

// A stack holds as many items as have stackBytes, or fewItems that have no more than twice that,
// or one. So what goes through a channel, a few at a time, finds room. More does not pay: to move
// an item to the depot and back takes a tenth of a microsecond, and half a stack moves at once; to
// write 64 KiB takes microseconds. And what lies on a processor's stack is of no use to others: so
// all stacks of the classes of one doubling together hold allBytes, or twice that, or one item each.
const stackBytes, fewItems, allBytes = 128 << 10, 8, 1 << 20

// StackLimit returns how many items a stack of a class with the given capacity holds. Where the
// budget bounds what is kept, it sets room for the stacks of the class aside, one of so many
// between which half of the budget is divided.
func (s *Shared) StackLimit(capacity, classes int) int {
	if capacity == 0 {
		return slots
	}
	stacks := runtime.GOMAXPROCS(0)
	if s.Portable {
		stacks = Records(true)
	}
	bytes := min(stackBytes, allBytes/(stacks*max(s.Steps, 1)))
	n := min(slots, bytes/capacity)
	if s.Budget.bounded {
		return s.Budget.setAside(n, capacity, classes)
	}
	return max(1, n, min(fewItems, 2*bytes/capacity))
}

// setAside returns how many of n items a stack may hold, and sets room for them aside.
func (b *Budget) setAside(n, capacity, classes int) int {
	share := b.Total / 2 / int64(b.records) / int64(classes)
	n = int(min(int64(n), share/int64(capacity)))
	if sum := int64(n) * int64(capacity) * int64(b.records); b.left.Add(-sum) < 0 {
		b.left.Add(sum) // depots took it meanwhile
		return 0
	}
	return n
}

// reserve takes room for up to n items, and returns for how many there was room.
func (b *Budget) reserve(n, capacity int) int {
	for b.bounded && capacity > 0 {
		left := b.left.Load()
		fit := int(min(int64(n), max(left, 0)/int64(capacity)))
		if fit < n {
			b.refused.Store(true)
		}
		if fit == 0 || b.left.CompareAndSwap(left, left-int64(fit)*int64(capacity)) {
			return fit
		}
	}
	return n
}

// release gives back the room of n items.
func (b *Budget) release(n, capacity int) {
	if b.bounded {
		b.left.Add(int64(n) * int64(capacity))
	}
}
