package testrun

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/octet-go/octet/poolcheck/internal/status"
)

// A release whose sync.Pool has another shape is refused by its name.
func TestUnknownRelease(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the go command of this test is a shell script")
	}
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	write(t, root, "src/sync/pool.go", "package sync\n\ntype Pool struct{ New func() any }\n\nfunc (p *Pool) Put(x, y any) {}\n")
	env, err := json.Marshal(map[string]string{"GOVERSION": "go1.99.1", "GOROOT": root, "GOMODCACHE": dir + "/mod"})
	if err != nil {
		t.Fatal(err)
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "bin/go", fmt.Sprintf("#!/bin/sh\n[ $1 = env ] || exec '%s' \"$@\"\necho '%s'\n", real, env))
	r, said := runWith(t, "failing", []string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH")})
	if r.Status != status.Incomplete || !strings.Contains(said, "go1.99.1") {
		t.Errorf("exit status %d: %s", r.Status, said)
	}
}

// Each line that is needed of the standard library is missed if it is another.
func TestChanges(t *testing.T) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	known := &toolchain{version: "go1.99.1", root: strings.TrimSpace(string(root))}
	other := &toolchain{version: known.version, root: t.TempDir()}
	texts := make(map[string]string)
	for _, s := range changes {
		text, err := os.ReadFile(filepath.Join(known.root, "src", s.file))
		if err != nil {
			t.Fatal(err)
		}
		texts[s.file] = string(text)
		write(t, other.root, "src/"+s.file, string(text))
	}
	if _, err := other.files(); err != nil {
		t.Fatal(err)
	}
	for _, s := range changes {
		write(t, other.root, "src/"+s.file, strings.Replace(texts[s.file], "\n"+s.line, "\n//"+s.line, 1))
		var unknown *unknownShape
		if _, err := other.files(); !errors.As(err, &unknown) || !strings.Contains(err.Error(), s.file) {
			t.Errorf("without %q in %s: %v", s.line, s.file, err)
		}
		write(t, other.root, "src/"+s.file, texts[s.file])
	}
}

// The hash table of package poolwatch, which only the overlay builds.
func TestTable(t *testing.T) {
	needTime(t)
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/poolwatch\n\ngo 1.26.0\n")
	for from, to := range map[string]string{"_std/poolwatch/table.go": "table.go", "testdata/table_test.go": "table_test.go"} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, to, string(text))
	}
	cmd := exec.Command("go", "test")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
