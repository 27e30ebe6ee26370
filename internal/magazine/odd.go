package magazine

import (
	"sync"
	"sync/atomic"
)

// An odd is an item that has more than the class's capacity: append has made it, or somebody
// else. It lies in the depot alone, with the bytes that it has, so that it counts as what it
// is.
type odd struct {
	item     Item
	capacity int
	old      bool // it was here at the last collection
}

// odds are the odd items of a depot. They are few.
type odds struct {
	mu  sync.Mutex
	all []odd        // newest last
	n   atomic.Int32 // len(all)
}

func (o *odds) put(x odd) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, x)
	o.n.Add(1)
}

// take takes the newest, and reports whether there is one.
func (o *odds) take() (x odd, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	last := len(o.all) - 1
	if last < 0 {
		return odd{}, false
	}
	x = o.all[last]
	o.all[last] = odd{}
	o.all = o.all[:last]
	o.n.Add(-1)
	return x, true
}

// age follows a collection, and returns those that were here at the last one. They are not
// held for retention: what has grown is served by a class that has room for it.
func (o *odds) age() (gone []odd) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var rest []odd
	for _, x := range o.all {
		if x.old {
			gone = append(gone, x)
		} else {
			rest = append(rest, odd{x.item, x.capacity, true})
		}
	}
	o.all = rest
	o.n.Store(int32(len(rest)))
	return gone
}

// clear returns all, and keeps none.
func (o *odds) clear() (gone []odd) {
	o.mu.Lock()
	defer o.mu.Unlock()
	gone, o.all = o.all, nil
	o.n.Store(0)
	return gone
}

// beyond returns the bytes that they have beyond the given capacity each.
func (o *odds) beyond(capacity int) (n uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, x := range o.all {
		n += uint64(x.capacity - capacity)
	}
	return n
}
