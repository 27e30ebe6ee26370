package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A device is written to, not replaced.
func TestWriteToDevice(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full.json")
	if err := os.Symlink("/dev/full", full); err != nil {
		t.Fatal(err)
	}
	if err := Write(full, text("x")); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error is %v", err)
	}
	if err := Write(full, text(strings.Repeat("x", 1<<16))); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error is %v", err)
	}
	info, err := os.Stat("/dev/full")
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Errorf("the device became %v, %v", info, err)
	}
	if err := Write("/dev/null", text("x")); err != nil {
		t.Error(err)
	}
}
