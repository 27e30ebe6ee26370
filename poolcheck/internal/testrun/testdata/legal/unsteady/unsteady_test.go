// Package unsteady has tests that fail for other reasons than misuse.
package unsteady

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestReuse wants what sync.Pool does not promise.
func TestReuse(t *testing.T) {
	made := 0
	p := sync.Pool{New: func() any { made++; return new([16]byte) }}
	for range 100 {
		p.Put(p.Get())
	}
	if made > 50 {
		t.Errorf("made %d times", made)
	}
}

// TestSecondTime fails when it is run for the second time.
func TestSecondTime(t *testing.T) {
	dir := os.Getenv("UNSTEADY")
	if dir == "" {
		return
	}
	runs, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.CreateTemp(dir, "run")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if len(runs) == 1 {
		t.Error("second time", filepath.Base(f.Name()))
	}
}
