package engine

import (
	"iter"
	"slices"
	"sync"
	"weak"
)

// pools are all that are alive. They know each other by weak pointers alone, so that
// a pool that nobody refers to is collected.
var pools struct {
	sync.Mutex
	list   []member
	next   int    // length at which those that were collected are removed
	served uint64 // requests that were counted, also those of pools that were collected
}

// A member is an entry of pools.
type member struct {
	pool    weak.Pointer[Pool]
	counted uint64 // its part of pools.served
}

// register adds p to the pools.
func register(p *Pool) {
	pools.Lock()
	defer pools.Unlock()
	if len(pools.list) >= pools.next {
		pools.list = slices.DeleteFunc(pools.list, func(m member) bool { return m.pool.Value() == nil })
		pools.next = 2*len(pools.list) + 16
	}
	pools.list = append(pools.list, member{pool: weak.Make(p)})
}

// served returns how many requests all pools have served. Those that were collected
// since the call before count as they did then.
func served() uint64 {
	pools.Lock()
	defer pools.Unlock()
	for i := range pools.list {
		m := &pools.list[i]
		if p := m.pool.Value(); p != nil {
			n := p.requests()
			pools.served += n - m.counted
			m.counted = n
		}
	}
	return pools.served
}

// Pools returns all pools that are alive, the oldest first.
func Pools() iter.Seq[*Pool] {
	return func(yield func(*Pool) bool) {
		pools.Lock()
		list := slices.Clone(pools.list)
		pools.Unlock()
		for _, m := range list {
			if p := m.pool.Value(); p != nil && !yield(p) {
				return
			}
		}
	}
}

// eachPool calls f for every pool.
func eachPool(f func(*Pool)) {
	for p := range Pools() {
		f(p)
	}
}
