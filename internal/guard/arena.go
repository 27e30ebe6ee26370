//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"errors"
	"math"
	"os"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/postmortem"
	"github.com/octet-go/octet/internal/rt"
)

// A memory does for an arena what the system has to do. The slices that its methods
// take and return are whole pages. The arena calls open and close concurrently,
// on disjoint pages, and the others under its lock.
type memory interface {
	// block returns the size of a block, a multiple of a page.
	block() int
	// limits returns the bound on live mappings, and that on the system's mappings for
	// blocks that are not retired.
	limits() (live, systemMaps int)
	// systemMaps returns how many mappings of the system a block uses at most: one
	// that is cut, or one that is a single mapping.
	systemMaps(whole bool) int
	// reserve returns inaccessible pages of at least size bytes, at the start of a
	// block, or nil.
	reserve(size int) []byte
	// open makes pages accessible and close makes them inaccessible; their content is
	// lost.
	open(b []byte) error
	close(b []byte)
	// retire makes a block inaccessible and returns everything to the system that it
	// used, except its addresses.
	retire(block []byte)
	// owns reports whether p was reserved.
	owns(p uintptr) bool
}

// An arena knows which addresses are in use.
type arena struct {
	mem   memory
	table atomic.Pointer[postmortem.Table] // nil without a reporter

	mu      sync.Mutex
	cut     *block // where the next mapping is cut from; nil at first
	live    map[uintptr]mapping
	n       int // mappings that are live or being freed
	maps    int // mappings of the system that blocks use, unless they are retired
	bound   int // on n
	refused uint64
}

// A block is a run of addresses. It is retired when users falls to 0.
type block struct {
	mem   []byte
	whole bool // it has a single mapping
	used  int  // bytes that are cut
	users int  // live mappings, and 1 while it is the arena's cut
}

// A mapping is the pages of one slice, which ends where they do.
type mapping struct {
	block *block
	pages []byte
	cap   int
	slot  int // in the table; -1 for none
}

// newArena returns an arena that has reserved its first block.
func newArena(m memory) (*arena, error) {
	a := &arena{mem: m, live: make(map[uintptr]mapping)}
	a.setBound(0)
	if a.nextBlockLocked() == nil {
		return nil, errors.New("no address space can be reserved")
	}
	return a, nil
}

func (a *arena) setBound(live int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bound, _ = a.mem.limits()
	if live > 0 {
		a.bound = min(live, a.bound)
	}
}

func (a *arena) owns(b []byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.mem.owns(rt.Address(b))
}

func (a *arena) count() (n, bound int, refused uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n, a.bound, a.refused
}

func (a *arena) alloc(n, size int, pool string, acquired []uintptr) ([]byte, bool) {
	if n <= 0 {
		panic("guard: Alloc of a size that is not positive")
	}
	a.mu.Lock()
	m, ok := a.cutLocked(n)
	a.mu.Unlock()
	if !ok {
		return nil, false
	}
	b := m.pages[len(m.pages)-n:]
	m.slot = -1
	if a.mem.open(m.pages) != nil {
		a.mu.Lock()
		a.refused++
		a.n--
		a.leaveLocked(m.block)
		a.mu.Unlock()
		return nil, false
	}
	if t := a.table.Load(); t != nil {
		m.slot = t.Acquire(rt.Address(b), n, size, pool, acquired)
	}
	a.mu.Lock()
	a.live[rt.Address(b)] = m
	a.mu.Unlock()
	return b, true
}

// cutLocked returns a mapping for n bytes that is not open yet.
func (a *arena) cutLocked(n int) (m mapping, ok bool) {
	page := os.Getpagesize()
	if n > math.MaxInt-2*page || a.n >= a.bound {
		a.refused++
		return m, false
	}
	data := (n + page - 1) &^ (page - 1)
	m = mapping{cap: n, block: a.cut}
	if data+page > a.mem.block()/2 {
		m.block = a.newBlockLocked(data+page, true)
	} else if len(a.cut.mem)-a.cut.used < data+page {
		m.block = a.nextBlockLocked()
	}
	if m.block == nil {
		a.refused++
		return m, false
	}
	from := m.block.used
	m.pages = m.block.mem[from : from+data : from+data]
	m.block.used += data + page
	m.block.users++
	a.n++
	return m, true
}

// nextBlockLocked returns a fresh block to cut from, or nil.
func (a *arena) nextBlockLocked() *block {
	next := a.newBlockLocked(a.mem.block(), false)
	if next == nil {
		return nil
	}
	next.users = 1
	if a.cut != nil {
		a.leaveLocked(a.cut)
	}
	a.cut = next
	return next
}

// newBlockLocked returns a block without users, or nil.
func (a *arena) newBlockLocked(size int, whole bool) *block {
	maps := a.mem.systemMaps(whole)
	if _, bound := a.mem.limits(); a.maps+maps > bound {
		return nil
	}
	mem := a.mem.reserve(size)
	if mem == nil {
		return nil
	}
	a.maps += maps
	return &block{mem: mem, whole: whole}
}

// leaveLocked takes one user from a block.
func (a *arena) leaveLocked(b *block) {
	if b.users--; b.users == 0 {
		a.mem.retire(b.mem)
		a.maps -= a.mem.systemMaps(b.whole)
	}
}

// free reports false if b is not live.
func (a *arena) free(b []byte, released []uintptr) bool {
	p := rt.Address(b)
	a.mu.Lock()
	m, ok := a.live[p]
	if !ok || cap(b) == 0 || m.cap < cap(b) {
		a.mu.Unlock()
		return false
	}
	delete(a.live, p)
	a.mu.Unlock()

	// The mapping is ours alone. It has to be in the table before the pages are closed,
	// because then others may fault.
	t := a.table.Load()
	if t != nil && m.slot >= 0 {
		t.Release(m.slot, released)
	}
	if !m.block.whole { // else it is closed with its block
		a.mem.close(m.pages)
	}
	a.mu.Lock()
	a.n--
	a.leaveLocked(m.block)
	a.mu.Unlock()
	return true
}
