package rt

import (
	"runtime"
	"slices"
	"testing"
)

//go:noinline
func addresses() (list []uintptr) {
	var buf [32]uintptr
	n := ReturnAddresses(&buf)
	return slices.Clone(buf[:n])
}

//go:noinline
func deeper(n int) (list []uintptr) {
	if n == 0 {
		return addresses()
	}
	list = deeper(n - 1)
	runtime.KeepAlive(&n) // the call above is not the last thing
	return list
}

// Equal stacks have equal addresses, and different stacks do not, even if they differ
// only 30 frames further out.
func TestReturnAddresses(t *testing.T) {
	const n = 29
	var same [2][]uintptr
	for i := range same {
		same[i] = deeper(n)
	}
	if len(same[0]) == 0 {
		t.Skip("there are none here")
	}
	if !slices.Equal(same[0], same[1]) {
		t.Errorf("one stack has the addresses %#x and %#x", same[0], same[1])
	}
	if other := deeper(n); slices.Equal(other, same[0]) {
		t.Error("another line of this test has the same addresses")
	}
	if len(same[0]) != 32 {
		t.Errorf("a deep stack has %d addresses, want 32", len(same[0]))
	}
	// They are where runtime.Callers finds the functions.
	for i, pc := range same[0][1 : n+1] {
		if f := runtime.FuncForPC(pc - 1); f == nil || f.Name() != "github.com/octet-go/octet/internal/rt.deeper" {
			t.Errorf("address %d is in %v", i+1, f.Name())
		}
	}
	short := make(chan []uintptr)
	go func() { short <- addresses() }()
	if s := <-short; len(s) == 0 || len(s) > 4 {
		t.Errorf("a goroutine that has just begun has %d addresses", len(s))
	}
}

// inlined calls both, in a function that is inlined.
func inlined() (addresses, pcs []uintptr) {
	var buf, want [32]uintptr
	n := ReturnAddresses(&buf)
	pcs = want[:runtime.Callers(1, want[:])]
	return slices.Clone(buf[:n]), pcs
}

//go:noinline
func outer() (addresses, pcs []uintptr) { return middle() }

func middle() (addresses, pcs []uintptr) { return inlined() }

// Expand finds the functions that runtime.Callers finds, also those that were inlined.
func TestExpand(t *testing.T) {
	addresses, pcs := outer()
	if len(addresses) == 0 {
		t.Skip("there are none here")
	}
	names := func(pcs []uintptr) (list []string) {
		frames := runtime.CallersFrames(pcs)
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			list = append(list, f.Function)
		}
		return list
	}
	got, want := names(Expand(addresses)), names(pcs)[1:] // which begins with inlined itself
	if len(want) < 4 || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
