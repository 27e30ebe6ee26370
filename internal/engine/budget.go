package engine

import "sync/atomic"

// A budget is what is left of the bytes that a pool may keep idle.
type budget struct {
	bounded bool
	left    atomic.Int64 // what depots may still take
	refused atomic.Bool  // since the last collection
}

// init sets the budget of a pool; 0 means no bound.
func (b *budget) init(total int64) {
	b.bounded = total > 0
	b.left.Store(total)
}

// stackShare sets half of what is left aside for the stacks of a row of classes
// that have the given number of records, and returns the bytes that each may
// hold.
func (b *budget) stackShare(s *sizes, records int) (share int64) {
	if !b.bounded {
		return stackBytes / int64(records)
	}
	classes := s.maxClass - s.minClass + 1
	share = min(b.left.Load()/4, stackBytes) / int64(records) / int64(classes)
	var sum int64
	for k := s.minClass; k <= s.maxClass; k++ {
		capacity := s.capacity(k)
		sum += int64(b.stackLimit(capacity, share)) * int64(capacity) * int64(records) * 2
	}
	if b.left.Add(-sum) < 0 {
		b.left.Add(sum) // depots took it meanwhile
		return 0
	}
	return share
}

// stackLimit returns how many items of the given capacity a stack holds, given its
// share.
func (b *budget) stackLimit(capacity int, share int64) int {
	n := int(min(slots, share/int64(capacity)))
	if !b.bounded {
		n = max(n, 1)
	}
	return n
}

// reserve takes room for up to n items and returns for how many there was some.
func (b *budget) reserve(n, capacity int) int {
	if !b.bounded || capacity == 0 {
		return n
	}
	for {
		left := b.left.Load()
		fit := int(min(int64(n), max(left, 0)/int64(capacity)))
		if fit < n {
			b.refused.Store(true)
		}
		if fit == 0 || b.left.CompareAndSwap(left, left-int64(fit)*int64(capacity)) {
			return fit
		}
	}
}

// release gives back the room of n items.
func (b *budget) release(n, capacity int) {
	if b.bounded && n > 0 {
		b.left.Add(int64(n) * int64(capacity))
	}
}
