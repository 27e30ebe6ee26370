package check

import (
	"runtime"
	"unsafe"
	"weak"

	"github.com/octet-go/octet/internal/report"
)

// Track tracks x, a new object of the given kind that its caller hands out.
func Track[T any](x *T, kind string, size int, o Owner) {
	r := &record{base: objectAddress(x), extent: int(unsafe.Sizeof(*x)), object: kind}
	r.memory = weak.Make((*byte)(unsafe.Pointer(x)))
	r.begin(o, size, caller())
	track(r)
	runtime.AddCleanup(x, collected, r)
}

// End notes that x is released, and reports false if it was already. What is not
// tracked may be released. It is not to be used again.
func End[T any](x *T) bool {
	s := shardOf(objectAddress(x))
	s.Lock()
	r := s.at(objectAddress(x))
	if r == nil || r.isPast() {
		s.Unlock()
		return true
	}
	here := caller()
	if r.state != inUse {
		f := r.finding(report.DoubleRelease, "released twice", here)
		s.Unlock()
		complain(f)
		return false
	}
	r.end(gone, here)
	s.Unlock()
	return true
}

// Misused reports that x, if it is tracked and released, was used.
func Misused[T any](x *T, code report.Code, what string) {
	s := shardOf(objectAddress(x))
	s.Lock()
	r := s.at(objectAddress(x))
	if r == nil || r.isPast() {
		s.Unlock()
		return
	}
	f := r.finding(code, what, caller())
	s.Unlock()
	complain(f)
}

func objectAddress[T any](x *T) uintptr { return uintptr(unsafe.Pointer(x)) }
