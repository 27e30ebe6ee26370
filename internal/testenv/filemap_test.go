package testenv

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// failures is a testing.TB that notes how it fails.
type failures struct {
	testing.TB
	list []string
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) {
	f.list = append(f.list, fmt.Sprintf(format, args...))
}

// Each package of this module that has a map of its files has a right one, and each of five
// files or more has a map.
func TestFileMaps(t *testing.T) {
	var dirs []string
	err := filepath.WalkDir(filepath.Join("..", ".."), func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		_, noModule := os.Stat(filepath.Join(dir, "go.mod"))
		if noModule == nil && len(dirs) > 0 || d.Name() == "testdata" || d.Name() == ".git" {
			return fs.SkipDir
		}
		dirs = append(dirs, dir)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		t.Run(dir, func(t *testing.T) {
			t.Chdir(dir)
			sources, err := filepath.Glob("*.go")
			if err != nil {
				t.Fatal(err)
			}
			n, has := 0, false
			for _, name := range sources {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasSuffix(name, "_test.go") {
					n++
					has = has || bytes.Contains(text, []byte("\n// # Map\n"))
				}
			}
			if has || n >= 5 {
				WantFileMap(t)
			}
		})
	}
}

// A map that is not right is found.
func TestWantFileMap(t *testing.T) {
	for _, test := range []struct {
		name, doc string
		want      []string
	}{
		{
			"incomplete",
			"package p\n\n// # Map\n//\n//\tdoc.go, a.go  two\n//\n// Here b.go is missing, and so is c_x.s.\n",
			[]string{"the map leaves out b.go", "the map leaves out c_x.s"},
		},
		{
			"of before",
			"package p\n\n// # Map\n//\n//\t*.go, c_x.s  all\n//\td.go  none\n//\te_*.go\n",
			[]string{"the map names d.go, which is not there", "the map names e_*.go, which is not there"},
		},
	} {
		t.Chdir(t.TempDir())
		for name, text := range map[string]string{"doc.go": test.doc, "a.go": "package p", "b.go": "package p", "c_x.s": "", "a_test.go": "package p"} {
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var f failures
		if WantFileMap(&f); !slices.Equal(f.list, test.want) {
			t.Errorf("%s: %q, want %q", test.name, f.list, test.want)
		}
	}
}
