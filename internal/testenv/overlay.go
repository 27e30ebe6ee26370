package testenv

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Mutants says that tests which explore interleavings must also find the faults of
// mutants. Each is a build.
var Mutants = flag.Bool("mutants", false, "also explore the interleavings of mutants")

// An Overlay is a package, that of the current directory, some of whose files have
// other contents.
type Overlay struct {
	files map[string]string // by name
}

// NewOverlay returns an overlay with the given files as they are.
func NewOverlay(t testing.TB, files ...string) *Overlay {
	t.Helper()
	o := &Overlay{make(map[string]string)}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		o.files[name] = string(text)
	}
	return o
}

// Replace replaces from, which must be in one of the files, and there once.
func (o *Overlay) Replace(t testing.TB, from, to string) {
	t.Helper()
	found := 0
	for name, text := range o.files {
		found += strings.Count(text, from)
		o.files[name] = strings.Replace(text, from, to, 1)
	}
	if found != 1 {
		t.Fatalf("found %d times, not once: %s", found, from)
	}
}

// ReplaceAll replaces from wherever it is.
func (o *Overlay) ReplaceAll(from, to string) {
	for name, text := range o.files {
		o.files[name] = strings.ReplaceAll(text, from, to)
	}
}

// Test runs the tests that match the pattern, with the overlay and the tag, and
// returns what they print. It skips t in the module cache, of which the go command
// replaces no file, and under a sanitizer, which this build would not have: it would be
// the one of go test without it.
func (o *Overlay) Test(t testing.TB, tag, pattern string) ([]byte, error) {
	t.Helper()
	NeedsExec(t)
	if BuildSetting("-race") == "true" || BuildSetting("-asan") == "true" {
		t.Skip("go test without a sanitizer runs the same build")
	}
	dir, replace := t.TempDir(), make(map[string]string)
	for name, text := range o.files {
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		replace[path] = filepath.Join(dir, name)
		if err := os.WriteFile(replace[path], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "test", "-overlay="+overlay, "-tags="+tag, "-vet=off", "-count=1", "-run="+pattern, ".").CombinedOutput()
	if bytes.Contains(out, []byte("must not be replaced")) {
		t.Skip("NOT TESTED: this module was fetched, and the go command replaces no file of the module cache")
	}
	return out, err
}
