package toy

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestUpperLater fails by chance in the first run, and by its misuse in others.
func TestUpperLater(t *testing.T) {
	if dir := os.Getenv("UNSTEADY"); dir != "" && os.Mkdir(filepath.Join(dir, "first"), 0o777) == nil {
		t.Fatal("first time")
	}
	if got := string(Upper("later")); got != "LATER" {
		t.Errorf("got %q", got)
	}
}

// TestSuite has a subtest that wants back what it put, which must not hide the other.
func TestSuite(t *testing.T) {
	t.Run("reuse", func(t *testing.T) {
		p := sync.Pool{New: func() any { return new(int) }}
		x := p.Get()
		p.Put(x)
		if p.Get() != x {
			t.Error("another object")
		}
	})
	t.Run("upper case", func(t *testing.T) {
		if got := string(Upper("suite")); got != "SUITE" {
			t.Errorf("got %q", got)
		}
	})
}
