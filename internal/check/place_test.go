package check

import (
	"runtime"
	"testing"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/testenv"
)

// classes are the capacities that classes of pools may have, from 2 bytes on, as far as
// a test can allocate many of each.
func classes(yield func(int) bool) {
	for n := 2; n <= 256; n *= 2 {
		if !yield(n) {
			return
		}
	}
	for k := 8; k < 16; k++ { // four steps a doubling
		for step := range 4 {
			if !yield((5 + step) << (k - 2)) {
				return
			}
		}
	}
}

// TestDisplaced sees that a sampled slice begins where no other of its class does, and that
// it is aligned for numbers.
func TestDisplaced(t *testing.T) {
	var kept [][]byte
	for n := range classes {
		for range 64 {
			b := rt.DirtyBytes(n)
			if kept = append(kept, b); Displaced(b) != 0 && testenv.BuildSetting("-asan") != "true" {
				t.Errorf("a slice of %d bytes begins at %#x, as a sampled one does", n, rt.Address(b))
			}
			b = displaced(n)
			if kept = append(kept, b); Displaced(b) == 0 || len(b) != n || cap(b) != n {
				t.Errorf("a sampled slice of %d bytes begins at %#x, and has %d and capacity %d", n, rt.Address(b), len(b), cap(b))
			}
			if width := uintptr(min(n/2, 16)); rt.Address(b)%width != 0 {
				t.Errorf("a sampled slice of %d bytes begins at %#x", n, rt.Address(b))
			}
		}
		// As in guarded memory, which ends with a page.
		if at := (1<<20 - n - gap(n)) % unit & (n - 1); at != displacement(n) {
			t.Errorf("%d bytes before the end of a page: displaced by %d, want %d", n+gap(n), at, displacement(n))
		}
	}
	runtime.KeepAlive(kept)
	if Displaced(nil) != 0 {
		t.Error("an empty slice is displaced")
	}
}
