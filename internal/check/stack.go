package check

import (
	"math/bits"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/internal/rt"
)

// A stack says where something happened. What happens often at one place shares one
// stack. All of a stack is found out only when somebody looks at it.
type stack struct {
	hash      uint64                    // of addresses
	addresses []uintptr                 // of rt.ReturnAddresses, or of runtime.Callers
	seen      atomic.Pointer[[]uintptr] // what trace has found out
}

const (
	depth      = 20                 // how many frames of a stack are kept
	innerDepth = 12                 // how many of octet's there may be before these
	frameDepth = depth + innerDepth // how many addresses are kept: see [rt.ReturnAddresses]
)

// stacks are those that were used last, each at the place that its hash says. A
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
	h := hash(frames[:n])
	slot := &stacks[h%uint64(len(stacks))]
	s := slot.Load()
	if s == nil || s.hash != h || !slices.Equal(s.addresses, frames[:n]) {
		s = &stack{hash: h, addresses: slices.Clone(frames[:n])}
		slot.Store(s)
	}
	return s
}

// packages are the paths of the packages that were registered.
var packages struct {
	sync.RWMutex
	list []string
}

func init() { RegisterPackage() }

// RegisterPackage registers the package of its caller as a part of octet. Stacks
// begin at the function of a registered package that was called from outside, such
// as bytespool.Append, and leave out what that called to get here.
//
// No frames are counted, because their number depends on the path.
func RegisterPackage() {
	var pcs [1]uintptr
	runtime.Callers(2, pcs[:])
	packages.Lock()
	defer packages.Unlock()
	packages.list = append(packages.list, packageOf(frameOf(pcs[0]).Function))
}

// packageOf returns the path of the package that a function is in.
func packageOf(function string) string {
	name := strings.LastIndexByte(function, '/') + 1
	return function[:name+strings.IndexByte(function[name:]+".", '.')]
}

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

// frameOf returns the function that pc, a return address, is in.
func frameOf(pc uintptr) runtime.Frame {
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	return f
}

// isOurs reports whether pc, a return address, is in a registered package. The tests
// of such a package are outside.
func isOurs(pc uintptr) bool {
	f := frameOf(pc)
	packages.RLock()
	defer packages.RUnlock()
	return slices.Contains(packages.list, packageOf(f.Function)) && !strings.HasSuffix(f.File, "_test.go")
}

// placeNumber returns the number of a place: a function of octet and the line that called it. It is the same in all runs
// of a program, and others may have it.
func (s *stack) placeNumber() uint16 {
	pcs := s.trace()
	h := uint32(2166136261)
	frames := runtime.CallersFrames(pcs[:min(2, len(pcs))])
	for more := len(pcs) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		for _, c := range []byte(f.Function + strconv.Itoa(f.Line)) {
			h = (h ^ uint32(c)) * 16777619
		}
	}
	return uint16(h ^ h>>16)
}

// hash mixes numbers. It is not meant to withstand an adversary.
func hash(pcs []uintptr) (h uint64) {
	for _, pc := range pcs {
		h = bits.RotateLeft64((h^uint64(pc))*0x9e3779b97f4a7c15, 29)
	}
	return h
}
