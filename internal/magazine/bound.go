package magazine

import "sync/atomic"

// A bound says how much a depot keeps at most.
//
// Memory that nobody takes must not pile up: it would count as live, and make each heap
// goal the sum of the last two. So a depot keeps at most as many items as were in use at once
// since the last collection but one, and a few more. A first burst misses, and so is kept;
// what comes from elsewhere is not.
//
// How many were in use at once is not counted, but follows from what is: those that were in
// use at the collection, those that the depot has had and gave away since, and those that it
// was asked for in vain. Each number is changed alone, while others are at work: the bound may
// be a batch off.
type bound struct {
	n      atomic.Int64 // items that are kept
	low    atomic.Int64 // the fewest since the last collection
	missed atomic.Int64 // gets since then that the depot failed to serve
	total  atomic.Int64 // items that were kept or in use at the last collection
	before atomic.Int64 // what peak was then
	spare  int64        // items
}

// peak returns how many items were in use at once since the last collection.
func (b *bound) peak() int64 { return b.total.Load() - b.low.Load() + b.missed.Load() }

func (b *bound) most() int64 { return max(b.peak(), b.before.Load()) + b.spare }

// admit counts up to n items, and returns how many there is room for.
func (b *bound) admit(n int) int {
	fit := int(min(int64(n), max(0, b.most()-b.n.Load())))
	b.n.Add(int64(fit))
	return fit
}

// took notes that n items were taken.
func (b *bound) took(n int) {
	left := b.n.Add(int64(-n))
	for low := b.low.Load(); left < low && !b.low.CompareAndSwap(low, left); {
		low = b.low.Load()
	}
}

// gone notes that n items are gone, and that nobody took them.
func (b *bound) gone(n int) {
	b.total.Add(int64(-n))
	b.low.Add(int64(-n))
	b.n.Add(int64(-n))
}

// step follows a collection. It notes how many items are in use.
func (b *bound) step(inUse int) {
	b.before.Store(b.peak())
	kept := b.n.Load()
	b.total.Store(kept + int64(inUse))
	b.low.Store(kept)
	b.missed.Store(0)
}

// spare returns how many items of the given capacity a depot keeps beyond what was
// used: four batches, but not more than so many bytes, and at least one item.
func spare(capacity, bytes int) int {
	const batches = 4
	return max(1, min(batches*len(batch{}), bytes/max(capacity, 1)))
}
