package engine

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A depot keeps what the stacks of one class have too many of. Only here is
// memory counted against the budget as it comes and goes: stacks have their
// share of it set aside (budget.go).
type depot struct {
	mu    sync.Mutex
	items []item // newest last
	low   int    // fewest items since the last collection

	taken   uint64        // requests served; one a batch
	refused atomic.Uint64 // items over budget

	capacity int // bytes an item
	budget   *budget
}

// give adds those of the items that the budget allows, the last first, and
// reports whether it kept any.
func (d *depot) give(items []item) bool {
	n := d.budget.reserve(len(items), d.capacity)
	if n < len(items) {
		d.refused.Add(uint64(len(items) - n))
	}
	if n == 0 {
		return false
	}
	d.mu.Lock()
	d.items = append(d.items, items[len(items)-n:]...)
	d.mu.Unlock()
	return true
}

// take moves the newest items to batch and returns how many.
func (d *depot) take(batch []item) int {
	d.mu.Lock()
	n := min(len(batch), len(d.items))
	if n > 0 {
		rest := len(d.items) - n
		copy(batch, d.items[rest:])
		clear(d.items[rest:])
		d.items = d.items[:rest]
		d.low = min(d.low, rest)
		d.taken++
	}
	d.mu.Unlock()
	d.budget.release(n, d.capacity)
	return n
}

// age drops the items that were not used since the last call, the oldest ones,
// and reports whether any are left.
func (d *depot) age() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.low
	if n > 0 || cap(d.items) > 2*len(d.items)+len(batch{}) {
		// A new array: one that held a burst would keep its size for ever.
		d.items = slices.Clone(d.items[n:])
	}
	d.budget.release(n, d.capacity)
	d.low = len(d.items)
	return d.low > 0
}

// trim drops all items and returns how many there were.
func (d *depot) trim() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.items)
	d.items, d.low = nil, 0
	d.budget.release(n, d.capacity)
	return n
}
