package magazine

import "sync/atomic"

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

// setAside returns how many of n items the stacks of a class, one of so many, may hold each, and
// sets room for them aside.
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
