package check

import (
	"math/bits"
	"path"
	"reflect"
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
	depth      = 20                 // how many frames of a stack are kept
	innerDepth = 12                 // how many of octet's there may be before these
	frameDepth = depth + innerDepth // how many return addresses tell stacks apart: see frames.go
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

// caller returns the stack that begins at the function of octet which its user
// called: see RegisterPackage.
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
	var buf [depth + innerDepth]uintptr
	pcs := buf[:runtime.Callers(2, buf[:])]
	first := outermost(pcs)
	pcs = pcs[first:min(len(pcs), first+depth)]
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

// packages are the paths of octet's packages that lie between a user's call and
// this package.
var packages sync.Map

func init() { RegisterPackage[record]() }

// RegisterPackage says that the package which declares T is octet's. Stacks leave
// out the frames of such packages down to the one that a user called: they begin
// at bytespool.Append, whatever that calls to get here. Which package that is,
// the type says, so that nothing has to follow when something is renamed; and
// nobody counts frames, whose number depends on the path.
func RegisterPackage[T any]() { packages.Store(reflect.TypeFor[T]().PkgPath(), true) }

// outermost returns which of the functions of octet that a stack begins with is the
// outermost, the one that the user called.
func outermost(pcs []uintptr) (i int) {
	for i+1 < len(pcs) && isOurs(pcs[i]) && isOurs(pcs[i+1]) {
		i++
	}
	return i
}

// innerFrames returns how many frames lie between the caller and the function that
// the user called.
func innerFrames() int {
	var buf [innerDepth]uintptr
	return outermost(buf[:runtime.Callers(2, buf[:])])
}

// isOurs reports whether the function at pc, a return address, is of a registered
// package. Their tests are users.
func isOurs(pc uintptr) bool {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	dir, name := path.Split(f.Function)
	name, _, _ = strings.Cut(name, ".")
	_, ours := packages.Load(dir + name)
	return ours && !strings.HasSuffix(f.File, "_test.go")
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
