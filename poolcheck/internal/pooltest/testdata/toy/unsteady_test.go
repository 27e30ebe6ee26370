package toy

import (
	"os"
	"path/filepath"
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
