package magazine

import "sync/atomic"

// A bound says how much a depot keeps at most.
//
// Memory that nobody takes must not pile up: it would count as live, and make each heap
// goal the sum of the last two. So a depot keeps at most as many items as were in use at once
// since the last collection but one, and a few more. A first burst misses, and so is kept;
// what comes from elsewhere is not, until requests take it.
//
// How many were in use at once is not counted, but follows from what is: those that were in
// use at the collection, those that the depot gave away since, at once, and those that it
// was asked for in vain. Each number is changed alone, while others are at work: the bound may
// be a batch off.
type bound struct {
	n      atomic.Int64 // items that are kept
	high   atomic.Int64 // the most since the last collection
	drawn  atomic.Int64 // since then: by how much n was below high at most
	missed atomic.Int64 // gets since then that the depot failed to serve
	inUse  atomic.Int64 // items that were in use at the last collection
	before atomic.Int64 // what peak was then
	spare  int64        // items
}

// peak returns how many items were in use at once since the last collection.
func (b *bound) peak() int64 { return b.inUse.Load() + b.drawn.Load() + b.missed.Load() }

func (b *bound) most() int64 { return max(b.peak(), b.before.Load()) + b.spare }

// admit counts up to n items, and returns how many there is room for.
func (b *bound) admit(n int) int {
	fit := int(min(int64(n), max(0, b.most()-b.n.Load())))
	b.add(fit)
	return fit
}

// add counts n items.
func (b *bound) add(n int) { raise(&b.high, b.n.Add(int64(n))) }

// took notes that n items were taken.
func (b *bound) took(n int) {
	left := b.n.Add(int64(-n))
	raise(&b.drawn, b.high.Load()-left)
}

// gone notes that n items are gone, and that nobody took them.
func (b *bound) gone(n int) {
	b.high.Add(int64(-n))
	b.n.Add(int64(-n))
}

// step follows a collection. It notes how many items are in use.
func (b *bound) step(inUse int) {
	b.before.Store(b.peak())
	b.high.Store(b.n.Load())
	b.drawn.Store(0)
	b.inUse.Store(int64(inUse))
	b.missed.Store(0)
}

// An Excess is what the depots of a pool keep between two collections beyond their bounds, in all.
// For slices in use may have grown, and come back where none of as much was in use.
type Excess struct{ items, bytes atomic.Int64 } // that may still be kept

// Refill follows a collection: so many items may be kept, of so many bytes.
func (e *Excess) Refill(items, bytes int64) {
	e.items.Store(items)
	e.bytes.Store(bytes)
}

// take takes room for up to n items of the given capacity, and returns for how many there was room.
// Several that take at once may take a little more.
func (e *Excess) take(n, capacity int) int {
	n = int(max(0, min(int64(n), e.items.Load(), e.bytes.Load()/int64(max(capacity, 1)))))
	if n > 0 {
		e.items.Add(int64(-n))
		e.bytes.Add(int64(-n * capacity))
	}
	return n
}

// raise makes most at least n.
func raise(most *atomic.Int64, n int64) {
	for old := most.Load(); n > old && !most.CompareAndSwap(old, n); {
		old = most.Load()
	}
}

// spare returns how many items of the given capacity a depot keeps beyond what was
// used: four batches, but not more than so many bytes, and at least one item.
func spare(capacity, bytes int) int {
	const batches = 4
	return max(1, min(batches*len(batch{}), bytes/max(capacity, 1)))
}
