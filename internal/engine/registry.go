package engine

import (
	"slices"
	"sync"
	"weak"
)

// A registry has values by weak pointers, so that one to which nothing else refers is
// collected.
type registry[T any] struct {
	mu   sync.Mutex
	list []weak.Pointer[T]
	next int // the length at which collected values are removed from the list
}

// add adds v.
func (r *registry[T]) add(v *T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) >= r.next {
		r.list = slices.DeleteFunc(r.list, func(w weak.Pointer[T]) bool { return w.Value() == nil })
		r.next = 2*len(r.list) + 16
	}
	r.list = append(r.list, weak.Make(v))
}

// all yields those that are alive, the oldest first.
func (r *registry[T]) all(yield func(*T) bool) {
	r.mu.Lock()
	list := slices.Clone(r.list)
	r.mu.Unlock()
	for _, w := range list {
		if v := w.Value(); v != nil && !yield(v) {
			return
		}
	}
}
