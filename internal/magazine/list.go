package magazine

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/rt"
)

// A list is what a depot keeps for one processor: items, and what a collection found idle, in
// stacks of up to retiredBytes. Everybody may take from it.
//
// A list fills a cache line. See Record for why its last 8 bytes may lie in another one: it is
// the capacity of retired.
type list struct {
	mu      sync.Mutex
	n       atomic.Int64 // items in both; changed under mu
	items   []Item       // newest last
	retired []*retired   // newest last
}

// add adds n to the number of items, for a caller that holds mu.
func (l *list) add(n int) { rt.Store(&l.n, l.n.Load()+int64(n)) }

// put adds items.
func (l *list) put(items []Item) {
	l.mu.Lock()
	l.items = append(l.items, items...)
	l.add(len(items))
	l.mu.Unlock()
}

// take moves the newest items to batch and returns how many. It leaves what is retired.
func (l *list) take(batch []Item) (n int) {
	if l.n.Load() > 0 {
		l.mu.Lock()
		n = l.remove(batch)
		l.mu.Unlock()
	}
	return n
}

// remove is take for a caller that holds mu.
func (l *list) remove(batch []Item) int {
	n := min(len(batch), len(l.items))
	rest := len(l.items) - n
	move(batch, l.items[rest:])
	l.items = l.items[:rest]
	l.add(-n)
	return n
}

// restore is take that first takes back, if there are no items, what was retired last and is
// still there. It also returns how many items it found gone.
func (l *list) restore(batch []Item) (n, gone int) {
	if l.n.Load() == 0 {
		return 0, 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for last := len(l.retired) - 1; last >= 0 && len(l.items) == 0; last-- {
		r := l.retired[last]
		l.retired[last] = nil
		l.retired = l.retired[:last]
		if s := r.take(); s != nil {
			l.items = append(l.items, s[:r.items]...)
		} else {
			l.add(-r.items)
			gone += r.items
		}
	}
	return l.remove(batch), gone
}

// retiredBytes is what a list retires in one stack, if that is not less than an item. Each
// stack takes two allocations and a weak pointer; and who takes one of its items takes it
// back as a whole.
const retiredBytes = 256 << 10

// step follows a collection. It drops what was retired before and may not stay, and
// returns how many items that was; it retires the rest. The items have the given capacity.
func (l *list) step(capacity int, keep *Keep) (dropped int) {
	size := max(1, min(slots, retiredBytes/max(capacity, 1)))
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.retired
	l.retired = nil
	// The newest first, so that what is held is what was used last.
	var fresh []*retired
	for end := len(l.items); end > 0; {
		begin := max(0, end-size)
		s := new(stack)
		n := copy(s[:], l.items[begin:end])
		r := retire(s, n*capacity, keep)
		r.items = n
		fresh = append(fresh, r)
		end = begin
	}
	l.items = nil // a list that held a burst would keep its size for ever
	for i := len(old) - 1; i >= 0; i-- {
		if r := old[i]; r.stays(r.items*capacity, keep) {
			fresh = append(fresh, r)
		} else {
			dropped += r.items
		}
	}
	slices.Reverse(fresh)
	l.retired = fresh
	l.add(-dropped)
	return dropped
}

// clear drops everything and returns how many items that was.
func (l *list) clear() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items, l.retired = nil, nil
	n := int(l.n.Load())
	l.add(-n)
	return n
}

// fresh returns how many items came since the last step.
func (l *list) fresh() int {
	if l.n.Load() == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.items)
}
