package change

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
	"github.com/octet-go/octet/cmd/octet/internal/advise/source"
)

var update = flag.Bool("update", false, "write testdata/want.diff")

// sites copies the module, and returns its sites: the lines whose comments say what comes of them.
func sites(t *testing.T) (tree *source.Tree, dir string, all []*source.Site, want []string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/module")); err != nil {
		t.Fatal(err)
	}
	tree, err := source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"module.go", "generated.go"} {
		src, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(src), "\n") {
			code, comment, ok := strings.Cut(line, " // ")
			if !ok || !strings.HasPrefix(code, "\t") {
				continue
			}
			stack := profiles.Stack{{Func: "example.com/module.f", File: "/x/" + file, Line: i + 1}}
			switch {
			case strings.Contains(code, "bytes.Buffer"), strings.Contains(code, "bytes.NewBuffer"):
				stack[0].Line++
				stack = append(profiles.Stack{{Func: "bytes.(*Buffer).grow"}}, stack...)
			case strings.Contains(code, "io.ReadAll"):
				stack = append(profiles.Stack{{Func: "io.ReadAll"}}, stack...)
			}
			s := tree.Explain(stack, len(stack)-1)
			if s == nil {
				t.Fatalf("%s, line %d: no site", file, i+1)
			}
			all, want = append(all, s), append(want, comment)
		}
	}
	return tree, dir, all, want
}

func TestNotes(t *testing.T) {
	tree, _, all, want := sites(t)
	changed := 0
	for i, s := range all {
		p, err := New(tree, []*source.Site{s}, true)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(want[i], "changed") || want[i] == "elsewhere" {
			changed++
			if p.Sites != 1 {
				t.Errorf("%s, line %d is not changed: %s", s.File, s.Line, p.Notes)
			}
		} else if p.Sites > 0 || len(p.Notes) != 1 || !strings.Contains(p.Notes[0], want[i]) {
			t.Errorf("%s, line %d: %q, want %q", s.File, s.Line, p.Notes, want[i])
		}
	}
	if changed != 13 || len(all) != 27 {
		t.Errorf("%d of %d sites are changed", changed, len(all))
	}
}

func TestDiff(t *testing.T) {
	tree, _, all, _ := sites(t)
	p, err := New(tree, all, true)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := p.Diff(&got); err != nil {
		t.Fatal(err)
	}
	const file = "testdata/want.diff"
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("the patch is not that of %s; if the new one is right, run go test -update\n%s", file, got.Bytes())
	}
}

// What is changed passes the tests of the module.
func TestApply(t *testing.T) {
	tree, dir, all, _ := sites(t)
	p, err := New(tree, all, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../../../..")
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	run("mod", "edit", "-replace", "github.com/octet-go/octet="+root)
	run("vet", ".")
	run("test", ".")
	tree, err = source.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := New(tree, nil, false); err != nil || again.Sites > 0 || len(again.files) > 0 {
		t.Errorf("no sites: %+v, %v", again, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 4 {
		t.Errorf("%v, %v", left, err)
	}
}
