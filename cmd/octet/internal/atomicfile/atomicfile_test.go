package atomicfile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// only fails the test unless dir has exactly these files with these contents.
func only(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := want[e.Name()]; !ok {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	for name, content := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != content {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, content)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	for _, s := range []string{"first", "second", strings.Repeat("long", 1<<16)} {
		if err := Write(path, text(s)); err != nil {
			t.Fatal(err)
		}
		only(t, dir, map[string]string{"a.json": s})
	}
}

// The disk becomes full in the middle of a write.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.json")
	half := func(w io.Writer) error {
		if err := text(strings.Repeat("half", 1<<16))(w); err != nil {
			return err
		}
		return syscall.ENOSPC
	}
	if err := Write(path, half); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error is %v", err)
	}
	only(t, dir, nil)

	if err := Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, half); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("error is %v", err)
	}
	only(t, dir, map[string]string{"a.json": "old"})
}

func TestWriteKeepsPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, text("secret")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("permissions became %v", info.Mode().Perm())
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "real.json"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.json")
	if err := os.Symlink("real.json", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, text("x")); err != nil {
		t.Fatal(err)
	}
	only(t, dir, map[string]string{"real.json": "x", "link.json": "x"})
	if to, err := os.Readlink(link); to != "real.json" {
		t.Errorf("the link points to %q, %v", to, err)
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, says := range map[string]string{
		filepath.Join(dir, "new.json"):         "",
		file:                                   "",
		dir:                                    "is a directory",
		filepath.Join(dir, "none", "new.json"): "none",
		filepath.Join(file, "new.json"):        "not a directory",
	} {
		err := Check(path)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v; should speak of %q", path, err, says)
		}
	}
}
