package main

import (
	"archive/zip"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// repository returns a new git repository in which these files are committed.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	dir := t.TempDir()
	write(t, dir, files)
	for _, args := range [][]string{
		{"init", "-q"},
		{"add", "-A"},
		{"-c", "user.name=nobody", "-c", "user.email=nobody@example.com", "-c", "commit.gpgsign=false", "commit", "-qm", "all"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return dir
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAdd(t *testing.T) {
	repo := repository(t, map[string]string{
		"go.mod":            "module example.com/Root\n",
		"root.go":           "package root\n",
		"LICENSE":           "as you like\n",
		"inner/go.mod":      "module example.com/Root/inner\n\nrequire example.com/Root v0.1.0\n",
		"inner/inner.go":    "package inner\n",
		"inner/testdata/in": "data\n",
	})
	write(t, repo, map[string]string{"uncommitted.go": "package root\n"})
	proxy := t.TempDir()
	for _, tt := range []struct{ subdirectory, path, prefix, files string }{
		{".", "example.com/!root", "example.com/Root@v0.1.0/", "LICENSE go.mod root.go"},
		{"inner", "example.com/!root/inner", "example.com/Root/inner@v0.1.0/", "LICENSE go.mod inner.go testdata/in"},
	} {
		m, size, err := add(repo, tt.subdirectory, "v0.1.0", proxy)
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(proxy, filepath.FromSlash(tt.path), "@v")
		info, err := os.Stat(filepath.Join(at, "v0.1.0.zip"))
		if err != nil || info.Size() != size || m.Version != "v0.1.0" {
			t.Errorf("%s: %d bytes, %v, %v", m, size, info, err)
		}
		z, err := zip.OpenReader(filepath.Join(at, "v0.1.0.zip"))
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range z.File {
			names = append(names, strings.TrimPrefix(f.Name, tt.prefix))
		}
		z.Close()
		slices.Sort(names)
		if got := strings.Join(names, " "); got != tt.files {
			t.Errorf("%s has %s, want %s", m, got, tt.files)
		}
		read := func(name string) string {
			data, err := os.ReadFile(filepath.Join(at, name))
			if err != nil {
				t.Error(err)
			}
			return string(data)
		}
		if got := read("list"); got != "v0.1.0\n" {
			t.Errorf("%s: the list is %q", m, got)
		}
		if got := read("v0.1.0.mod"); !strings.HasPrefix(got, "module example.com/Root") {
			t.Errorf("%s: go.mod is %q", m, got)
		}
		var about struct {
			Version string
			Time    time.Time
		}
		if err := json.NewDecoder(strings.NewReader(read("v0.1.0.info"))).Decode(&about); err != nil && err != io.EOF {
			t.Error(err)
		}
		if about.Version != "v0.1.0" || time.Since(about.Time) > time.Hour {
			t.Errorf("%s: %+v", m, about)
		}
	}
}

func TestAddRefuses(t *testing.T) {
	repo := repository(t, map[string]string{
		"go.mod":          "module example.com/root\n\nreplace example.com/other => ../other\n",
		"good/go.mod":     "module example.com/root/good\n",
		"good/x.go":       "package good\n",
		"excluded/go.mod": "module example.com/root/excluded\n\nexclude example.com/other v1.0.0\n",
	})
	for _, tt := range []struct{ subdirectory, version, says string }{
		{".", "v0.1.0", "replace"},
		{"excluded", "v0.1.0", "exclude"},
		{"none", "v0.1.0", "no such file"},
		{"good", "0.1.0", "0.1.0"},
		{"good", "v2.0.0", "v2"},
	} {
		if _, _, err := add(repo, tt.subdirectory, tt.version, t.TempDir()); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
