//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"slices"
	"sort"

	"github.com/octet-go/octet/internal/rt"
)

// ranges is a set of addresses, sorted.
type ranges []addressRange

type addressRange struct{ start, end uintptr }

// after returns the index of the first range that starts beyond p.
func (r ranges) after(p uintptr) int {
	return sort.Search(len(r), func(i int) bool { return r[i].start > p })
}

func (r *ranges) add(b []byte) {
	start := rt.Address(b)
	*r = slices.Insert(*r, r.after(start), addressRange{start, start + uintptr(len(b))})
}

func (r *ranges) remove(b []byte) {
	i := r.after(rt.Address(b))
	*r = slices.Delete(*r, i-1, i)
}

func (r ranges) has(p uintptr) bool {
	i := r.after(p)
	return i > 0 && p < r[i-1].end
}
