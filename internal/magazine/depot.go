package magazine

import (
	"runtime"
	"sync/atomic"
)

// A depot keeps the items of one class for which the stacks have no room: in a list for each
// processor, so that two seldom want the same lock, and what a processor has just released
// is what it takes next. A get looks into the list of its processor, and only if that is
// empty into those of others, so that no more is warm than is in use; and last for what was
// retired. After a collection all that a depot keeps is retired.
//
// Only here is memory counted as it comes and goes, for all lists together, against the bound
// and the budget. What goes onto a list is counted before, and what comes from one after: so
// no item is there that does not count.
type depot struct {
	lists atomic.Pointer[[]list] // nil before the first give
	odds  odds
	bound bound

	overBudget atomic.Uint64 // items that the budget refused
	overBound  atomic.Uint64 // items that the bound refused

	capacity int // bytes an item
	budget   *Budget
}

func (d *depot) init(capacity, spareBytes int, b *Budget) {
	d.capacity, d.budget = capacity, b
	d.bound.spare = int64(spare(capacity, spareBytes))
}

// give adds as many of the items, from the last one on, as bound and budget allow, to the
// list of the given processor, and returns how many it kept.
func (d *depot) give(processor uint32, items []Item) int {
	n := d.admit(len(items), d.capacity)
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

// giveOdd adds x, which has the given capacity, if bound and budget allow it.
func (d *depot) giveOdd(x Item, capacity int) bool {
	if d.admit(1, capacity) == 0 {
		return false
	}
	d.odds.put(odd{item: x, capacity: capacity})
	return true
}

// admit counts up to n items of the given capacity, and returns how many there is room for.
func (d *depot) admit(n, capacity int) int {
	fit := d.bound.admit(n)
	room := d.budget.reserve(fit, capacity)
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
	d.took(n, d.capacity)
	return n
}

// takeN is take for as many gets as batch has room for. Those that it does not serve look
// again, and are missed then.
func (d *depot) takeN(processor uint32, batch []Item) (n int) {
	for more := 1; more > 0 && n < len(batch); n += more {
		more = d.remove(processor, batch[n:])
	}
	if n > 0 {
		d.took(n, d.capacity)
	}
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
		d.drop(gone, d.capacity)
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

// takeOdd takes the newest odd item, if it is wanted, and returns what it has.
func (d *depot) takeOdd(wanted func(capacity int) bool) (x Item, capacity uintptr) {
	o, ok := d.odds.take()
	if !ok {
		return Item{}, 0
	}
	if wanted != nil && !wanted(o.capacity) {
		d.odds.put(o) // it has counted all the time
		return Item{}, 0
	}
	d.took(1, o.capacity)
	return o.item, uintptr(o.capacity)
}

// took notes that gets took n items at once, of the given capacity.
func (d *depot) took(n, capacity int) {
	d.bound.took(n)
	d.budget.release(n, capacity)
}

// drop notes that n items of the given capacity are gone to the collector.
func (d *depot) drop(n, capacity int) {
	if n > 0 {
		d.bound.gone(n)
		d.budget.release(n, capacity)
	}
}

// step follows a collection, at which so many items of the class were in use. It drops what
// was retired before and may not stay, and retires the rest.
func (d *depot) step(inUse int, keep *Keep) (left bool, dropped int) {
	for l := range d.from(0).each {
		n := l.step(d.capacity, keep)
		d.drop(n, d.capacity)
		dropped += n
	}
	for _, o := range d.odds.age() {
		d.drop(1, o.capacity)
		dropped++
	}
	d.bound.step(inUse)
	return d.len() > 0, dropped
}

// clear drops everything and returns how many items that was.
func (d *depot) clear() (dropped int) {
	for l := range d.from(0).each {
		n := l.clear()
		d.drop(n, d.capacity)
		dropped += n
	}
	for _, o := range d.odds.clear() {
		d.drop(1, o.capacity)
		dropped++
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
