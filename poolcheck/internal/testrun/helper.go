package testrun

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// go test starts this command in place of each test binary, by its flag -exec. The
// helper keeps the binary and runs nothing.

// keepVariable is set in the environment of a helper, to the folder for the binaries.
const keepVariable = "POOLCHECK_KEEP"

// Helper runs a helper and returns true if this process is one.
func Helper(args []string) bool {
	work := os.Getenv(keepVariable)
	if work == "" || len(args) == 0 {
		return false
	}
	if err := keep(work, args[0], args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "poolcheck:", err)
		os.Exit(2)
	}
	return true
}

// keep copies a test binary to a folder of its own, with what there is to know of it.
func keep(work, path string, args []string) error {
	text, err := os.ReadFile(path) // a link may not be possible
	if err != nil {
		return err
	}
	b := &testBinary{Args: args}
	var wd, temp error
	b.Dir, wd = os.Getwd()
	b.Work, temp = os.MkdirTemp(work, "")
	b.Path = filepath.Join(b.Work, filepath.Base(path))
	description, err := json.Marshal(b)
	return cmp.Or(wd, temp, err, os.WriteFile(b.Path, text, 0o777), os.WriteFile(filepath.Join(b.Work, "binary.json"), description, 0o666))
}

// kept returns the test binaries that were kept, by the folders of their packages.
func kept(work string) (map[string]*testBinary, error) {
	names, err := filepath.Glob(filepath.Join(work, "*", "binary.json"))
	binaries := make(map[string]*testBinary)
	for _, name := range names {
		text, readErr := os.ReadFile(name)
		b := new(testBinary)
		err = cmp.Or(err, readErr, json.Unmarshal(text, b))
		binaries[b.Dir] = b
	}
	return binaries, err
}
