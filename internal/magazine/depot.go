package magazine

import (
	"runtime"
	"sync/atomic"
)

// A depot keeps the items of one class for which the stacks have no room: in a list for each
// processor, so that two seldom want the same lock, and a processor takes first the item that it
// released last. A get looks into the list of its processor, if that is empty into those of
// others, so that idle memory in a CPU cache is reused first, and last for retired items. A
// collection retires all items of a depot.
//
// Only here is memory counted as it comes and goes, for all lists together, against the bound
// and the budget. An item is counted before it goes onto a list, and until it has left it: so
// no item is there that does not count.
type depot struct {
	lists atomic.Pointer[[]list] // nil before the first give
	bound bound

	overBudget atomic.Uint64 // items that the budget refused
	overBound  atomic.Uint64 // items that the bound refused

	capacity int // bytes that an item counts
	budget   *Budget
	excess   *Excess
}

func (d *depot) init(capacity int, s *Shared) {
	d.capacity, d.budget, d.excess = capacity, &s.Budget, &s.Excess
	d.bound.spare = int64(spare(capacity, spareBytes/max(s.Steps, 1)))
}

// give adds as many of the items, from the last one on, as bound and budget allow, to the
// list of the given processor, and returns how many it kept.
func (d *depot) give(processor uint32, items []Item) int {
	n := d.admit(len(items))
	if n > 0 {
		d.list(processor).put(items[len(items)-n:])
	}
	return n
}

// list returns the list of the given processor. Where there are more processors than lists,
// because GOMAXPROCS has grown, some share one.
func (d *depot) list(processor uint32) *list {
	all := d.lists.Load()
	if all == nil {
		n := make([]list, runtime.GOMAXPROCS(0))
		d.lists.CompareAndSwap(nil, &n)
		all = d.lists.Load()
	}
	return &(*all)[share(processor, len(*all))]
}

// share returns which of n lists a processor uses. (To divide would take longer than the rest
// of this function, and is seldom needed.)
func share(processor uint32, n int) int {
	if int(processor) < n {
		return int(processor)
	}
	return int(processor) % n
}

// admit counts up to n items, and returns how many there is room for.
func (d *depot) admit(n int) int {
	fit := d.bound.admit(n)
	if fit < n {
		more := d.excess.take(n-fit, d.capacity)
		d.bound.add(more)
		fit += more
	}
	room := d.budget.reserve(fit, d.capacity)
	if fit < n {
		d.overBound.Add(uint64(n - fit))
	}
	if room < fit {
		d.bound.n.Add(int64(room - fit))
		d.overBudget.Add(uint64(fit - room))
	}
	return room
}

// take moves the newest items of one list, all of one capacity, to batch and returns how
// many.
func (d *depot) take(processor uint32, batch []Item) int {
	n := d.remove(processor, batch)
	if n == 0 {
		d.bound.missed.Add(1)
		return 0
	}
	d.took(n)
	return n
}

// remove moves the newest items of one list to batch and returns how many.
func (d *depot) remove(processor uint32, batch []Item) (n int) {
	if d.bound.n.Load() == 0 {
		return 0
	}
	for l := range d.from(processor).each {
		if n = l.take(batch); n > 0 {
			return n
		}
	}
	for l := range d.from(processor).each {
		gone := 0
		n, gone = l.restore(batch)
		d.drop(gone)
		if n > 0 {
			return n
		}
	}
	return 0
}

// from returns the lists, the one of the given processor first.
func (d *depot) from(processor uint32) listsFrom {
	all := d.lists.Load()
	if all == nil {
		return listsFrom{}
	}
	return listsFrom{*all, share(processor, len(*all))}
}

// listsFrom are the lists of a depot, of which one comes first.
type listsFrom struct {
	all   []list
	first int
}

// each yields them. (It is ranged over without allocating: see recordsOf.)
func (l listsFrom) each(yield func(*list) bool) {
	for i := range l.all {
		if i += l.first; i >= len(l.all) {
			i -= len(l.all)
		}
		if !yield(&l.all[i]) {
			return
		}
	}
}

// took notes that gets took n items at once.
func (d *depot) took(n int) {
	d.bound.took(n)
	d.budget.release(n, d.capacity)
}

// drop notes that n items are gone to the collector.
func (d *depot) drop(n int) {
	if n > 0 {
		d.bound.gone(n)
		d.budget.release(n, d.capacity)
	}
}

// step follows a collection, at which so many items of the class were in use. It drops what
// was retired before and may not stay, and retires the rest.
func (d *depot) step(inUse int, keep *Keep) (left bool, dropped int) {
	for l := range d.from(0).each {
		n := l.step(d.capacity, keep)
		d.drop(n)
		dropped += n
	}
	d.bound.step(inUse)
	return d.len() > 0, dropped
}

// clear drops everything and returns how many items that was.
func (d *depot) clear() (dropped int) {
	for l := range d.from(0).each {
		n := l.clear()
		d.drop(n)
		dropped += n
	}
	return dropped
}

// len returns how many items there are.
func (d *depot) len() int { return int(d.bound.n.Load()) }

// fresh returns how many items came since the last step.
func (d *depot) fresh() (n int) {
	for l := range d.from(0).each {
		n += l.fresh()
	}
	return n
}
