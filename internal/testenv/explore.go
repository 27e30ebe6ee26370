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

var mutants = flag.Bool("mutants", false, "explore the interleavings of mutants instead")

// An Exploration is a test of the package of the current directory that explores
// interleavings of steps. It runs in a build in which copies of some files make their
// steps visible, and are otherwise the same.
type Exploration struct {
	Test  string   // its name
	Files []string // that are copied
	Steps []Edit   // make the steps visible, wherever they apply

	// Mutants are edits by name, each of one place, that make a fault. The test must find
	// it: it fails, and prints what Finds says.
	Mutants map[string]Edit
	Finds   string
}

// An Edit replaces a text by another.
type Edit [2]string

// Run runs the exploration, or with the flag -mutants those of its mutants, each of which is a
// build. It skips t with -short; in the module cache, of which the go command replaces no
// file; and under a sanitizer or with tags, which this build would not have: it would be
// the one of go test without them.
func (x Exploration) Run(t *testing.T) {
	NeedsExec(t)
	Long(t)
	PlainBuild(t)
	if BuildSetting("-tags") != "" {
		t.Skip("go test without tags makes the same build")
	}
	t.Parallel()
	if !*mutants {
		if out, err := x.run(t, nil); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for name, m := range x.Mutants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, err := x.run(t, &m); err == nil || !bytes.Contains(out, []byte(x.Finds)) {
				t.Errorf("not found: %v\n%s", err, out)
			}
		})
	}
}

// run runs the test with the mutant, if there is one, and returns what it prints.
func (x Exploration) run(t *testing.T, mutant *Edit) ([]byte, error) {
	dir, replace := t.TempDir(), make(map[string]string)
	applied := make(map[Edit]int)
	for _, name := range x.Files {
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		edit := func(e Edit) {
			applied[e] += strings.Count(text, e[0])
			text = strings.ReplaceAll(text, e[0], e[1])
		}
		if mutant != nil {
			edit(*mutant)
		}
		for _, e := range x.Steps {
			edit(e)
		}
		replace[path] = filepath.Join(dir, name)
		if err := os.WriteFile(replace[path], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if mutant != nil && applied[*mutant] != 1 {
		t.Fatalf("found %d times, not once: %s", applied[*mutant], mutant[0])
	}
	for _, e := range x.Steps {
		if applied[e] == 0 {
			t.Fatalf("not found: %s", e[0])
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
	out, err := exec.Command("go", "test", "-overlay="+overlay, "-tags=octet_interleave", "-vet=off", "-count=1", "-failfast", "-run=^"+x.Test+"$", ".").CombinedOutput()
	if bytes.Contains(out, []byte("must not be replaced")) {
		t.Skip("NOT TESTED: this module was fetched, and the go command replaces no file of the module cache")
	}
	return out, err
}
