package guard

import (
	"runtime"
	"testing"
)

// TestEverywhere runs in every build: without guarded memory nothing is handed out, and
// there is a reason.
func TestEverywhere(t *testing.T) {
	_, err := Start(0)
	b, ok := Alloc(100, 100, "", nil)
	if ok != (err == nil) {
		t.Fatalf("Alloc: %v, Start: %v", ok, err)
	}
	if Owns(b) != ok {
		t.Errorf("Owns is %v for what Alloc returned", !ok)
	}
	if Owns(make([]byte, 100)) || Owns(nil) {
		t.Error("Owns is true for other memory")
	}
	if ok {
		if n, bound, _ := Live(); n != 1 || bound < 1 {
			t.Errorf("Live is %d of %d, want 1", n, bound)
		}
		if !Free(b[:10], nil) {
			t.Error("Free is false for what Alloc returned")
		}
		if !Owns(b) {
			t.Error("Owns is false for freed memory")
		}
	}
	if n, _, _ := Live(); n != 0 {
		t.Errorf("Live is %d, want 0", n)
	}
	if Free(make([]byte, 100), nil) || Free(nil, nil) {
		t.Error("Free is true for other memory")
	}
	if Free(b, nil) {
		t.Error("Free is true for freed memory")
	}
}

func mustPanic(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Errorf("%s did not panic", what)
		}
	}()
	f()
}

func callers() []uintptr {
	pcs := make([]uintptr, 20)
	return pcs[:runtime.Callers(1, pcs)]
}
