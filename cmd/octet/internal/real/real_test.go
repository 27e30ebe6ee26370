package real

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/contest"
)

func run(t *testing.T, c *contest.Contestant, n int) error {
	t.Helper()
	r := c.Start()
	if r.Stop != nil {
		defer r.Stop()
	}
	r.Do(n)
	return r.Err()
}

func TestGroup(t *testing.T) {
	tr := makeTree(t, map[string][]byte{"a": content(1000, 1), "b/c": content(chunk, 2), "b/d": nil})
	dir := filepath.Dir(tr.files[0].path)
	g, err := Group(dir, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if g.Name != "real" || !strings.Contains(g.About, "3 files, 0.3 MB.") || strings.Contains(g.About, dir) {
		t.Errorf("name %q, about %q", g.Name, g.About)
	}
	if len(g.Rows) != len(Rows()) {
		t.Fatalf("%d rows, not %d", len(g.Rows), len(Rows()))
	}
	if g.Rows[0].Bytes != 1000+chunk {
		t.Errorf("the row has %d bytes", g.Rows[0].Bytes)
	}
	for i, row := range g.Rows {
		if row.Name != Rows()[i] {
			t.Errorf("row %d is %s, not %s", i, row.Name, Rows()[i])
		}
		for _, c := range row.Contestants {
			for range 2 {
				if err := run(t, &c, 2); err != nil {
					t.Errorf("%s, %s: %v", row.Name, c.Name, err)
				}
			}
		}
	}

	// Any later error stops the run, which reports it.
	if err := os.WriteFile(tr.files[0].path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range g.Rows[0].Contestants {
		if err := run(t, &c, 3); err == nil || !strings.HasPrefix(err.Error(), c.Name+": ") {
			t.Errorf("%s, after a file changed: %v", c.Name, err)
		}
	}
	os.Remove(tr.files[0].path)
	for _, c := range g.Rows[2].Contestants {
		if err := run(t, &c, 3); err == nil {
			t.Errorf("%s does not miss a file that was removed", c.Name)
		}
	}
}

func TestGroupErrors(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(empty, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(dir, "none"), file, empty} {
		if _, err := Group(dir, 1<<20); err == nil || !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
			t.Errorf("Group(%q): %v", dir, err)
		}
	}
	if _, err := Group(dir, 0); err == nil {
		t.Error("nothing fits into 0 bytes, and that is no error")
	}
}

// Without a directory for the stream, the run reports an error.
func TestNoScratch(t *testing.T) {
	tr := makeTree(t, map[string][]byte{"a": nil})
	none := filepath.Join(t.TempDir(), "none")
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, none)
	}
	g := tr.group(none, 1)
	if err := run(t, &g.Rows[0].Contestants[0], 1); err == nil || !strings.Contains(err.Error(), none) {
		t.Errorf("%v", err)
	}
}

// scripted is a program that writes and accepts what the test specifies.
type scripted struct {
	data []byte
	err  error
}

func (s scripted) write(_ []file, w io.Writer) error  { _, err := w.Write(s.data); return err }
func (s scripted) verify(_ []file, _ io.Reader) error { return s.err }

// The runner checks the programs: that they write anything at all, and that
// they write the same.
func TestPassDistrusts(t *testing.T) {
	tr := makeTree(t, map[string][]byte{"a": content(100, 0)})
	right := write(t, usual{}, tr)
	wrong := bytes.Clone(right)
	wrong[50]++
	same := new(digests)
	for _, tc := range []struct {
		name string
		p    program
		want string
	}{
		{"usual", usual{}, ""},
		{"silent", scripted{}, "wrote 0 bytes"},
		{"short", scripted{data: right[:10]}, "wrote 10 bytes"},
		{"long", scripted{data: append(right, 0)}, "not 129"},
		{"wrong", scripted{data: wrong}, "different stream"},
		{"failing", scripted{right, io.ErrUnexpectedEOF}, "unexpected EOF"},
		{"right", scripted{data: right}, ""},
	} {
		c := contest.Contestant{Start: func() contest.Run {
			return startPass(tr, tc.name, func() program { return tc.p }, same)
		}}
		err := run(t, &c, 2)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.want)
		}
	}
}

// A pass that writes nothing is noticed even if the stream still holds that of
// an earlier pass.
func TestPassForgets(t *testing.T) {
	tr := makeTree(t, map[string][]byte{"a": content(100, 0)})
	stream, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer stream.close()
	if err := pass(tr, usual{}, stream); err != nil {
		t.Fatal(err)
	}
	if err := pass(tr, scripted{}, stream); err == nil {
		t.Error("a program that wrote nothing passed")
	}
}

func TestScratchIsGone(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, dir)
	}
	s, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	s.close()
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// Bytes allocated by one pass of p over tr.
func allocated(t *testing.T, tr *tree, p func() program) uint64 {
	t.Helper()
	stream, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer stream.close()
	least := ^uint64(0) // of several, in case the goroutine moves to another processor in one
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := pass(tr, p(), stream); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// This is the claim that the benchmark exists for.
func TestAllocated(t *testing.T) {
	files := make(map[string][]byte)
	for i := range 300 {
		files[string(rune('A'+i%26))+"/"+string(rune('a'+i/26))] = content(16<<10+i, i)
	}
	tr := makeTree(t, files)
	got := make(map[string]uint64)
	for _, p := range programs {
		got[p.name] = allocated(t, tr, p.start)
	}
	t.Log(got)
	if got["octet"] > got["usual"]/10 {
		t.Errorf("octet allocates %d bytes, more than a tenth of the usual program's %d", got["octet"], got["usual"])
	}
	if got["octet"] > got["expert"] {
		t.Errorf("octet allocates %d bytes, more than the expert's %d", got["octet"], got["expert"])
	}
}
