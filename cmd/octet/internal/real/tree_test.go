package real

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

func names(t *tree) []string {
	var s []string
	for _, f := range t.files {
		s = append(s, f.name)
	}
	return s
}

func TestList(t *testing.T) {
	made := makeTree(t, map[string][]byte{"b/two": content(20, 0), "a": content(10, 0), "b/empty": nil, "c": content(5, 0)})
	dir := filepath.Dir(made.files[0].path)
	if err := os.MkdirAll(filepath.Join(dir, "d", "nothing"), 0o777); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" { // links need a privilege there
		for name, to := range map[string]string{"link": "a", "dirlink": "b", "dead": "none"} {
			if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tc := range []struct {
		limit   int64
		names   []string
		size    int64
		omitted int
	}{
		{1000, []string{"a", "b/empty", "b/two", "c"}, 35, 0},
		{35, []string{"a", "b/empty", "b/two", "c"}, 35, 0},
		{34, []string{"a", "b/empty", "b/two"}, 30, 1},
		{29, []string{"a", "b/empty", "c"}, 15, 1},
		{0, []string{"b/empty"}, 0, 3},
	} {
		tr, err := list(dir, tc.limit)
		if err != nil {
			t.Fatal(err)
		}
		if got := names(tr); !slices.Equal(got, tc.names) || tr.size != tc.size || tr.omitted != tc.omitted || tr.skipped != 0 {
			t.Errorf("limit %d: %q, %d bytes, %d omitted, %d skipped; want %q, %d bytes, %d omitted",
				tc.limit, got, tr.size, tr.omitted, tr.skipped, tc.names, tc.size, tc.omitted)
		}
	}

	tr, err := list(dir, 1000)
	if err != nil {
		t.Fatal(err)
	}
	f := tr.files[2]
	info, err := os.Lstat(f.path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Size != 20 || f.Mode != uint32(info.Mode()) || f.ModTime != info.ModTime().UnixNano() {
		t.Errorf("%+v, want what %v says", f, info)
	}
}

// A directory is listed also if it is given by a symbolic link or a relative
// path.
func TestListRoot(t *testing.T) {
	made := makeTree(t, map[string][]byte{"sub/a": content(10, 0)})
	dir := filepath.Dir(filepath.Dir(made.files[0].path))
	t.Chdir(dir)
	roots := []string{".", "sub/.."}
	if runtime.GOOS != "windows" {
		if err := os.Symlink("sub", "link"); err != nil {
			t.Fatal(err)
		}
		roots = append(roots, "link")
	}
	for _, root := range roots {
		tr, err := list(root, 100)
		if err != nil {
			t.Fatal(err)
		}
		want := "sub/a"
		if root == "link" {
			want = "a"
		}
		if got := names(tr); !slices.Equal(got, []string{want}) {
			t.Errorf("list(%q) = %q, want %q", root, got, want)
		}
		if err := tr.warm(); err != nil {
			t.Errorf("%s: %v", root, err)
		}
	}
}

// Files that cannot be read are counted and left out. So are files that report
// a size which they do not have, as in some file systems of the kernel.
func TestWarm(t *testing.T) {
	tr := makeTree(t, map[string][]byte{"a": content(10, 0), "b": content(10, 0), "c": content(10, 0), "d": content(10, 0), "e": nil})
	dir := filepath.Dir(tr.files[0].path)
	os.Remove(filepath.Join(dir, "a"))
	os.Truncate(filepath.Join(dir, "c"), 11)
	gone := 2
	if runtime.GOOS != "windows" && os.Geteuid() != 0 { // root may read everything
		os.Chmod(filepath.Join(dir, "d"), 0)
		gone++
	}
	if err := tr.warm(); err != nil {
		t.Fatal(err)
	}
	if len(tr.files) != 5-gone || tr.skipped != gone || tr.size != int64(10*(4-gone)) {
		t.Errorf("%q, %d bytes, %d skipped", names(tr), tr.size, tr.skipped)
	}
	if tr.files[0].name != "b" {
		t.Errorf("the first is %s", tr.files[0].name)
	}

	if runtime.GOOS == "linux" {
		proc := &tree{files: []file{{path: "/proc/self/status", name: "status"}}}
		if err := proc.warm(); err == nil {
			t.Errorf("a file of size 0 with contents was kept")
		}
	}
}
