package magazine

import (
	"sync"
	"sync/atomic"
)

// A depot keeps the items of one class for which the stacks have no room. Only here
// is memory counted as it comes and goes, against the bound and the budget.
//
// After a collection all that it keeps is retired, in stacks of as many items as those of
// records have, and is taken back from there, the newest first.
//
// An item that has more than the class's capacity is odd: append has made it, or somebody
// else. It lies in the depot alone, with its capacity, so that it counts as what it is.
type depot struct {
	mu      sync.Mutex
	items   []Item       // newest last
	retired []*retired   // newest last
	odd     []odd        // newest last
	n       int          // items in all three
	odds    atomic.Int32 // len(odd)
	bound   bound

	served     atomic.Uint64 // gets; one a batch
	overBudget uint64        // items that the budget refused
	overBound  uint64        // items that the bound refused

	capacity int // bytes an item
	budget   *Budget
}

// An odd is an item, and the bytes that it has.
type odd struct {
	item     Item
	capacity int
	old      bool // it was here at the last collection
}

func (d *depot) init(capacity, spareBytes int, b *Budget) {
	d.capacity, d.budget = capacity, b
	d.bound.spare = spare(capacity, spareBytes)
}

// give adds as many of the items, from the last one on, as bound and budget allow,
// and reports whether it kept any.
func (d *depot) give(items []Item) bool { return d.giveN(items) > 0 }

// giveN is give, and returns how many it kept.
func (d *depot) giveN(items []Item) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.admit(len(items), d.capacity)
	d.items = append(d.items, items[len(items)-n:]...)
	return n
}

// giveOdd adds x, which has the given capacity, if bound and budget allow it.
func (d *depot) giveOdd(x Item, capacity int) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.admit(1, capacity) == 0 {
		return false
	}
	d.odd = append(d.odd, odd{item: x, capacity: capacity})
	d.odds.Add(1)
	return true
}

// admit counts up to n items of the given capacity, and returns how many there is room for.
func (d *depot) admit(n, capacity int) int {
	fit := min(n, max(0, d.bound.most()-d.n))
	room := d.budget.reserve(fit, capacity)
	d.overBound += uint64(n - fit)
	d.overBudget += uint64(fit - room)
	d.n += room
	return room
}

// take moves the newest items, all of one capacity, to batch and returns how many.
func (d *depot) take(batch []Item) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.remove(batch)
	if n == 0 {
		d.bound.missed++
		return 0
	}
	d.took(n, d.capacity)
	return n
}

// takeN is take for as many gets as batch has room for. Those that it does not serve look
// again, and are missed then.
func (d *depot) takeN(batch []Item) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for more := 1; more > 0 && n < len(batch); n += more {
		more = d.remove(batch[n:])
	}
	if n > 0 {
		d.took(n, d.capacity)
	}
	return n
}

// remove moves the newest items to batch and returns how many: no more than it finds in
// items, or in what was retired last.
func (d *depot) remove(batch []Item) int {
	if len(d.items) == 0 {
		d.restore()
	}
	n := min(len(batch), len(d.items))
	rest := len(d.items) - n
	copy(batch, d.items[rest:])
	clear(d.items[rest:])
	d.items = d.items[:rest]
	return n
}

// takeOdd takes the newest odd item, and returns what it has.
func (d *depot) takeOdd() (x Item, capacity uintptr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	last := len(d.odd) - 1
	if last < 0 {
		return Item{}, 0
	}
	o := d.odd[last]
	d.odd[last] = odd{}
	d.odd = d.odd[:last]
	d.odds.Add(-1)
	d.took(1, o.capacity)
	return o.item, uintptr(o.capacity)
}

// took notes that gets took n items at once, of the given capacity.
func (d *depot) took(n, capacity int) {
	d.n -= n
	d.bound.low = min(d.bound.low, d.n)
	d.served.Add(1)
	d.budget.release(n, capacity)
}

// restore takes back what was retired last and is still there.
func (d *depot) restore() {
	for last := len(d.retired) - 1; last >= 0 && len(d.items) == 0; last-- {
		r := d.retired[last]
		d.retired[last] = nil
		d.retired = d.retired[:last]
		if s := r.take(); s != nil {
			d.items = append(d.items, s[:r.items]...)
		} else {
			d.drop(r.items, d.capacity)
		}
	}
}

// drop notes that n items of the given capacity are gone to the collector.
func (d *depot) drop(n, capacity int) {
	d.n -= n
	d.bound.gone(n)
	d.budget.release(n, capacity)
}

// step follows a collection. It drops what was retired before and may not stay, and
// retires the rest. The items of d come in stacks of up to size.
func (d *depot) step(inUse, size int, keep *Keep) (left bool, dropped int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.n
	old := d.retired
	d.retired = nil
	// The newest first, so that what is held is what was used last.
	var fresh []*retired
	for end := len(d.items); end > 0; {
		begin := max(0, end-max(size, 1))
		s := new(stack)
		n := copy(s[:], d.items[begin:end])
		r := retire(s, n*d.capacity, keep)
		r.items = n
		fresh = append(fresh, r)
		end = begin
	}
	d.items = nil // a list that held a burst would keep its size for ever
	d.ageOdd()
	for i := len(old) - 1; i >= 0; i-- {
		if r := old[i]; r.stays(r.items*d.capacity, keep) {
			fresh = append(fresh, r)
		} else {
			d.drop(r.items, d.capacity)
		}
	}
	for i := len(fresh) - 1; i >= 0; i-- {
		d.retired = append(d.retired, fresh[i])
	}
	d.bound.step(d.n, inUse)
	return d.n > 0, before - d.n
}

// ageOdd drops the odd items that were here at the last collection. They are few, and hold
// no longer for retention: what has grown is served by a class that has room for it.
func (d *depot) ageOdd() {
	rest := d.odd[:0]
	for _, o := range d.odd {
		if o.old {
			d.drop(1, o.capacity)
		} else {
			rest = append(rest, odd{o.item, o.capacity, true})
		}
	}
	clear(d.odd[len(rest):])
	d.odd = rest
	d.odds.Store(int32(len(rest)))
}

// clear drops everything and returns how many items that was.
func (d *depot) clear() (dropped int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	dropped = d.n
	for _, o := range d.odd {
		d.drop(1, o.capacity)
	}
	d.drop(d.n, d.capacity)
	d.items, d.retired, d.odd = nil, nil, nil
	d.odds.Store(0)
	return dropped
}

// len returns how many items there are.
func (d *depot) len() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.n
}

// fresh returns how many items came since the last step.
func (d *depot) fresh() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.items)
}

// spare returns how many items of the given capacity a depot keeps beyond what was
// used: four batches, but not more than so many bytes, and at least one item.
func spare(capacity, bytes int) int {
	const batches = 4
	return max(1, min(batches*len(batch{}), bytes/max(capacity, 1)))
}

// A bound says how much a depot keeps at most. The depot's lock guards it.
//
// Memory that nobody takes must not pile up: it would count as live, and make each heap
// goal the sum of the last two. So a depot keeps at most what gets have taken from it at
// once, or looked for in vain, since the last collection but one; or, if larger, the items
// that were in use at one of the last two collections; and a few more. A first burst
// misses, or is in use at a collection, and so is kept; what comes from elsewhere is not.
type bound struct {
	start, low int    // items after the last collection, and the fewest since
	missed     int    // gets that the depot failed to serve since then
	before     int    // what start-low+missed was at the last collection
	inUse      [2]int // items of the class in use, at the last collection and before
	spare      int    // items
}

func (b *bound) most() int {
	return max(b.start-b.low+b.missed, b.before, b.inUse[0], b.inUse[1]) + b.spare
}

// gone notes that n items are gone, and that nobody took them.
func (b *bound) gone(n int) {
	b.start -= n
	b.low -= n
}

// step notes how many items the depot keeps after a collection, and how many are in use.
func (b *bound) step(kept, inUse int) {
	b.before = b.start - b.low + b.missed
	b.start, b.low, b.missed = kept, kept, 0
	b.inUse = [2]int{inUse, b.inUse[0]}
}
