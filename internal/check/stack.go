package check

import (
	"math/bits"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/octet-go/octet/internal/rt"
)

// A stack says where something happened. Everything that happens at one place shares
// one stack.
type stack struct {
	pcs []uintptr // as runtime.Callers has them
}

const (
	depth      = 20                 // how many frames of a stack are kept
	innerDepth = 12                 // how many of octet's there may be before these
	frameDepth = depth + innerDepth // how many return addresses tell stacks apart: see [rt.ReturnAddresses]
)

// stacks has all stacks. A program has a limited number of places; the bounds are for
// programs that recurse in ever new ways.
var stacks struct {
	sync.RWMutex
	known  set // by their program counters
	recent set // by their return addresses
}

// A set maps keys, which are program counters or return addresses, to stacks.
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

// caller returns the stack of the call from outside of octet: see RegisterPackage.
func caller() *stack {
	var frames [frameDepth]uintptr
	n := rt.ReturnAddresses(&frames)
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

// packages has the paths of the packages that were registered.
var packages sync.Map

func init() { RegisterPackage[record]() }

// RegisterPackage registers the package that declares T as a part of octet. Stacks
// begin at the function of a registered package that was called from outside, such
// as bytespool.Append, and leave out what that called to get here.
//
// The type identifies the package, so that renaming things cannot break this; and no
// frames are counted, because their number depends on the path.
func RegisterPackage[T any]() { packages.Store(reflect.TypeFor[T]().PkgPath(), true) }

// outermost returns the index of the outermost of octet's functions that the stack
// begins with: the one that was called from outside.
func outermost(pcs []uintptr) (i int) {
	for i+1 < len(pcs) && isOurs(pcs[i]) && isOurs(pcs[i+1]) {
		i++
	}
	return i
}

// innerFrames returns how many frames lie between the caller and the function of
// octet that was called from outside.
func innerFrames() int {
	var buf [innerDepth]uintptr
	return outermost(buf[:runtime.Callers(2, buf[:])])
}

// isOurs reports whether pc, a return address, is in a registered package. The tests
// of such a package are outside.
func isOurs(pc uintptr) bool {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	dir, name := path.Split(f.Function)
	name, _, _ = strings.Cut(name, ".")
	_, ours := packages.Load(dir + name)
	return ours && !strings.HasSuffix(f.File, "_test.go")
}

// hash mixes numbers. It is not meant to withstand an adversary.
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
