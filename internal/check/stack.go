package check

import (
	"math/bits"
	"path"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/rt"
)

// A stack says where something happened. What happens often at one place shares one
// stack. All of a stack is found out only when somebody looks at it.
type stack struct {
	addresses []uintptr                 // of rt.ReturnAddresses, or of runtime.Callers
	seen      atomic.Pointer[[]uintptr] // what trace has found out
}

const (
	depth      = 20                 // how many frames of a stack are kept
	innerDepth = 12                 // how many of octet's there may be before these
	frameDepth = depth + innerDepth // how many addresses are kept: see [rt.ReturnAddresses]
)

// stacks has the stacks that were used last, each at the place that its hash says. A
// stack that is not there costs little more, so that nothing depends on how many a
// program has.
var stacks [1 << 12]atomic.Pointer[stack]

// caller returns the stack of the call from outside of octet.
func caller() *stack {
	var frames [frameDepth]uintptr
	n := rt.ReturnAddresses(&frames)
	if n == 0 {
		n = runtime.Callers(2, frames[:])
	}
	slot := &stacks[hash(frames[:n])%uint64(len(stacks))]
	s := slot.Load()
	if s == nil || !slices.Equal(s.addresses, frames[:n]) {
		s = &stack{addresses: slices.Clone(frames[:n])}
		slot.Store(s)
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

// trace returns the program counters of s as runtime.Callers has them, for reports; nil
// if s is nil.
func (s *stack) trace() []uintptr {
	if s == nil {
		return nil
	}
	if pcs := s.seen.Load(); pcs != nil {
		return *pcs
	}
	pcs := rt.Expand(s.addresses)
	for len(pcs) > 1 && isOurs(pcs[0]) && isOurs(pcs[1]) {
		pcs = pcs[1:] // called by the next
	}
	pcs = slices.Clip(pcs[:min(len(pcs), depth)])
	s.seen.Store(&pcs)
	return pcs
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

// hashText is hash for a text, which goes on from h.
func hashText(h uint64, text string) uint64 {
	for _, c := range []byte(text) {
		h = bits.RotateLeft64((h^uint64(c))*0x9e3779b97f4a7c15, 29)
	}
	return h
}
