//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"slices"
	"sort"
	"sync/atomic"
)

// ranges is a set of addresses. Reading takes no lock; add and remove must not be
// called concurrently.
type ranges struct {
	sorted atomic.Pointer[[]addressRange] // never changed, but replaced
}

type addressRange struct{ start, end uintptr }

func (r *ranges) load() []addressRange {
	if p := r.sorted.Load(); p != nil {
		return *p
	}
	return nil
}

// after returns the index of the first range that starts beyond p.
func after(s []addressRange, p uintptr) int {
	return sort.Search(len(s), func(i int) bool { return s[i].start > p })
}

func (r *ranges) add(start, end uintptr) {
	old := r.load()
	s := slices.Insert(slices.Clone(old), after(old, start), addressRange{start, end})
	r.sorted.Store(&s)
}

func (r *ranges) remove(start uintptr) {
	old := r.load()
	i := after(old, start) - 1
	s := slices.Delete(slices.Clone(old), i, i+1)
	r.sorted.Store(&s)
}

func (r *ranges) has(p uintptr) bool {
	s := r.load()
	i := after(s, p)
	return i > 0 && p < s[i-1].end
}
