package engine

import "sync/atomic"

// A budget is what is left of the bytes that a pool may keep idle.
type budget struct {
	total   int64
	bounded bool
	left    atomic.Int64 // what depots may still take
	refused atomic.Bool  // since the last collection
}

// init sets the budget of a pool; 0 means no bound.
func (b *budget) init(total int64) {
	b.total, b.bounded = max(total, 0), total > 0
	b.left.Store(total)
}

// stackShare sets half of what is left aside for the stacks of a row of classes with so
// many records, and returns the bytes that each may hold, now and while the depot serves.
func (b *budget) stackShare(s *sizes, records int) (share, wide int64) {
	if !b.bounded {
		return stackBytes, max(stackBytes, wideBytes/int64(records))
	}
	classes := s.maxClass - s.minClass + 1
	share = min(b.left.Load()/4/int64(records)/int64(classes), stackBytes)
	var sum int64
	for k := s.minClass; k <= s.maxClass; k++ {
		capacity := s.capacity(k)
		sum += int64(b.stackLimit(capacity, share)) * int64(capacity) * int64(records) * 2
	}
	if b.left.Add(-sum) < 0 {
		b.left.Add(sum) // depots took it meanwhile
		return 0, 0
	}
	return share, share
}

// stackLimit returns how many items of the given capacity a stack of share bytes holds.
func (b *budget) stackLimit(capacity int, share int64) int {
	n := int(min(slots, share/int64(capacity)))
	if !b.bounded {
		n = max(n, 1)
	}
	return n
}

// process is what all pools together may still take before the next collection, if the
// program has a memory limit.
var process struct {
	budget
	limit atomic.Int64 // GOMEMLIMIT, from which left follows; 0 if there is none
}

// reserve takes room for up to n items, and returns for how many there was room.
func (b *budget) reserve(n, capacity int) int {
	if b.bounded {
		n = b.fit(n, capacity)
	}
	if process.limit.Load() == 0 {
		return n
	}
	fit := process.fit(n, capacity)
	if b.bounded {
		b.left.Add(int64(n-fit) * int64(capacity))
	}
	return fit
}

// fit is reserve from b alone.
func (b *budget) fit(n, capacity int) int {
	for capacity > 0 {
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

// forStack takes room for a stack of size bytes, or for as many more, from the process, if
// they are not few, and reports whether there was room.
func forStack(size int) bool {
	const small = 64 << 10
	return size <= small || process.limit.Load() == 0 || process.left.Load() >= int64(size) && process.fit(1, size) == 1
}

// release gives back the room of n items.
func (b *budget) release(n, capacity int) {
	bytes := int64(n) * int64(capacity)
	if b.bounded {
		b.left.Add(bytes)
	}
	if process.limit.Load() > 0 {
		process.left.Add(bytes)
	}
}
