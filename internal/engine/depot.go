package engine

import (
	"slices"
	"sync"
)

// A depot keeps the items of one class for which the stacks have no room. Only here
// is memory counted as it comes and goes, against the bound and the budget (idle.go).
type depot struct {
	mu    sync.Mutex
	items []item // newest last
	low   int    // the fewest items since age was last called
	bound bound

	taken      uint64 // gets served; one a batch
	overBudget uint64 // items that the budget refused
	overBound  uint64 // items that the bound refused

	capacity int // bytes an item
	budget   *budget
}

func (d *depot) init(capacity int, b *budget) {
	d.capacity, d.budget = capacity, b
	d.bound.spare = spare(capacity)
	d.bound.set()
}

// give adds as many of the items, from the last one on, as bound and budget allow,
// and reports whether it kept any.
func (d *depot) give(items []item) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	fit := min(len(items), max(0, d.bound.most-len(d.items)))
	n := d.budget.reserve(fit, d.capacity)
	d.overBound += uint64(len(items) - fit)
	d.overBudget += uint64(fit - n)
	d.items = append(d.items, items[len(items)-n:]...)
	return n > 0
}

// refuse counts an item that the budget does not allow.
func (d *depot) refuse() {
	d.mu.Lock()
	d.overBudget++
	d.mu.Unlock()
}

// take moves the newest items to batch and returns how many.
func (d *depot) take(batch []item) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := min(len(batch), len(d.items))
	if n == 0 {
		d.bound.miss()
		return 0
	}
	rest := len(d.items) - n
	copy(batch, d.items[rest:])
	clear(d.items[rest:])
	d.items = d.items[:rest]
	d.low = min(d.low, rest)
	d.taken++
	d.budget.release(n, d.capacity)
	return n
}

// len returns how many items there are.
func (d *depot) len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.items)
}

// look notes how many items of the class are in use.
func (d *depot) look(inUse int) {
	d.mu.Lock()
	d.bound.look(inUse)
	d.mu.Unlock()
}

// age drops the items that were not used since the last call, the oldest ones. It
// returns how many are left and how many it dropped.
func (d *depot) age() (kept, dropped int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dropped = d.low
	if dropped > 0 || cap(d.items) > 2*len(d.items)+len(batch{}) {
		d.dropOldestLocked(dropped)
	}
	d.low = len(d.items)
	d.bound.drop(d.low)
	return d.low, dropped
}

// press drops up to n items, the oldest ones, and returns how many.
func (d *depot) press(n int) (dropped int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if dropped = min(n, len(d.items)); n > 0 {
		d.dropOldestLocked(dropped)
		d.low = max(0, d.low-dropped)
		d.bound.drop(len(d.items))
	}
	return max(dropped, 0)
}

// dropOldestLocked drops the n oldest items. The list gets a new array, because one
// that held a burst would keep its size for ever.
func (d *depot) dropOldestLocked(n int) {
	d.items = slices.Clone(d.items[n:])
	d.budget.release(n, d.capacity)
}
