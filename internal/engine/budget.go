package engine

import "sync/atomic"

// A budget bounds the bytes that a pool keeps idle.
//
// Stacks cannot be counted as they change: that would be a shared counter on the
// hot path. So they get half of the budget set aside (and half of what is left
// then, if there are objects too) for the worst case, in
// equal shares a record and class, where a stack and its victim may both be
// full; what their limits leave goes to the depots, which count exactly. A share
// below the class's capacity allows no stack: such a class lives in its depot,
// which costs a lock an operation and keeps the bound. So does one that the pool
// did not have when the shares were divided.
//
// Worst case: stacks full, depots full, the sum is the budget.
type budget struct {
	bounded bool
	left    atomic.Int64 // what depots may still take
}

// stackBytes is what the stacks of one class hold together at most where there
// is no budget, so that a machine with many processors does not leave much on
// idle ones: on 2 of them 62 items of 1 MiB each, on 64 two. An item each is
// always allowed. Victims may hold as much again until the second collection.
const stackBytes = 128 << 20

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
		sum += int64(b.stackLimit(k, share)) << k * int64(records) * 2
	}
	if b.left.Add(-sum) < 0 {
		b.left.Add(sum) // depots took it meanwhile
		return 0
	}
	return share
}

// stackLimit returns how many items of class k a stack holds, given its share.
func (b *budget) stackLimit(k int, share int64) int {
	n := int(min(slots, share>>k))
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
