package check

import (
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// A stack is where something happened. There is one for all that happens at the
// same place.
type stack struct {
	pcs []uintptr // as runtime.Callers has them
}

const (
	depth      = 20 // how much of a stack is looked at
	frameDepth = 16 // how many return addresses tell stacks apart: see frames.go
)

// stacks are all there are. A program has only so many places; the bounds are
// for those that recurse in many ways.
var stacks struct {
	sync.RWMutex
	known  set // by their program counters
	recent set // by their return addresses
}

// A set has stacks by what tells them apart.
type set struct {
	m map[uint64][]entry // by hash of the key
	n int
}

type entry struct {
	key   []uintptr
	stack *stack
}

const maxStacks = 1 << 14

func (s *set) find(h uint64, key []uintptr) *stack {
	for _, e := range s.m[h] {
		if slices.Equal(e.key, key) {
			return e.stack
		}
	}
	return nil
}

// add adds x if there is room.
func (s *set) add(h uint64, key []uintptr, x *stack) {
	if s.n >= maxStacks {
		return
	}
	if s.m == nil {
		s.m = make(map[uint64][]entry)
	}
	s.m[h] = append(s.m[h], entry{key, x})
	s.n++
}

// caller returns the stack of the caller's caller, from where somebody called
// octet.
func caller() *stack {
	var frames [frameDepth]uintptr
	n := returnAddresses(&frames)
	if n > 0 {
		h := hash(frames[:n])
		stacks.RLock()
		s := stacks.recent.find(h, frames[:n])
		stacks.RUnlock()
		if s != nil {
			return s
		}
	}
	var buf [depth]uintptr
	pcs := buf[:runtime.Callers(3, buf[:])]
	for len(pcs) > 1 && isInner(pcs[0]) {
		pcs = pcs[1:]
	}
	stacks.Lock()
	defer stacks.Unlock()
	h := hash(pcs)
	s := stacks.known.find(h, pcs)
	if s == nil {
		s = &stack{slices.Clone(pcs)}
		stacks.known.add(h, s.pcs, s)
	}
	if n > 0 {
		stacks.recent.add(hash(frames[:n]), slices.Clone(frames[:n]), s)
	}
	return s
}

// isInner reports whether the function at pc is one that no user calls. A test is
// a user.
func isInner(pc uintptr) bool {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	name, octet := strings.CutPrefix(f.Function, "github.com/octet-go/octet/")
	inner := strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "bytespool/buffer.(*shelf).")
	return octet && inner && !strings.HasSuffix(f.File, "_test.go")
}

// hash mixes numbers. It need not withstand an adversary.
func hash(pcs []uintptr) (h uint64) {
	for _, pc := range pcs {
		h = bits.RotateLeft64((h^uint64(pc))*0x9e3779b97f4a7c15, 29)
	}
	return h
}

// trace returns the program counters of s, which may be nil.
func (s *stack) trace() []uintptr {
	if s == nil {
		return nil
	}
	return s.pcs
}
