// Package garbled has a test that writes to the report of this command.
package garbled

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var pool sync.Pool

func TestWrites(t *testing.T) {
	pool.Put(t)
	if dir := os.Getenv("POOLCHECK_WATCH_DIR"); dir != "" {
		os.WriteFile(filepath.Join(dir, "0.report"), []byte("what\n"), 0o666)
	}
}
