package pooltest

import (
	"crypto/sha256"
	"encoding/hex"
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

func keep(work, path string, args []string) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	work = folder(work, dir)
	if err := os.MkdirAll(work, 0o777); err != nil {
		return err
	}
	b := &testBinary{Path: filepath.Join(work, filepath.Base(path)), Dir: dir, Args: args, Work: work}
	text, err := os.ReadFile(path) // a link may not be possible
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.Path, text, 0o777); err != nil {
		return err
	}
	if text, err = json.Marshal(b); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(work, "binary.json"), text, 0o666)
}

// folder returns where the files of a package's runs are.
func folder(work, dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(work, hex.EncodeToString(sum[:8]))
}

// kept returns the test binary of the package in a folder, nil if there is none.
func kept(work, dir string) (*testBinary, error) {
	text, err := os.ReadFile(filepath.Join(folder(work, dir), "binary.json"))
	if err != nil {
		return nil, nil
	}
	b := new(testBinary)
	return b, json.Unmarshal(text, b)
}
