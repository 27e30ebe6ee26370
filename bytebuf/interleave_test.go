//go:build !octet_purego

package bytebuf_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// TestInterleavings runs TestInterleaved, which explores all interleavings of goroutines
// that look at a buffer while another appends to a copy of it. For that it builds the
// package with a copy of lend.go that takes its atomic operations from package
// interleave and is otherwise unchanged. To show that the exploration finds faults, it
// must also find those of some mutants of lend.go.
func TestInterleavings(t *testing.T) {
	testenv.NeedsExec(t)
	src, err := os.ReadFile("lend.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, mutant := range []struct{ name, from, to, finds string }{
		{name: "as it is"},
		{
			"moved before whole",
			"\tatomic.StoreUintptr((*uintptr)(b.mark), whole)\n\tatomic.CompareAndSwapPointer(b.movedAt(), nil, unsafe.Pointer(unsafe.SliceData(p)))\n",
			"\tatomic.CompareAndSwapPointer(b.movedAt(), nil, unsafe.Pointer(unsafe.SliceData(p)))\n\tatomic.StoreUintptr((*uintptr)(b.mark), whole)\n",
			"copy and append, String, Bytes: got \"" + text100[:70],
		},
		{
			"never whole",
			"\tatomic.StoreUintptr((*uintptr)(b.mark), whole)\n", "",
			"copy and append, String, Bytes: got \"" + text100[:70],
		},
		{
			"moved stored",
			"CompareAndSwapPointer(b.movedAt(), nil, ", "StorePointer(b.movedAt(), ",
			"String, Bytes, Bytes: two slices of one buffer have different arrays",
		},
		{
			"let out without a swap",
			"b.mark.swap(s, out)", "b.mark.swap(b.shown(), out)",
			"String, Bytes, Bytes: a string changed from \"" + text100[:70],
		},
		{
			"lent without a swap",
			"b.mark.swap(s, len(b.buf))", "b.mark.swap(b.shown(), len(b.buf))",
			"String, Bytes, Bytes: two slices of one buffer have different arrays",
		},
	} {
		t.Run(mutant.name, func(t *testing.T) {
			t.Parallel()
			text := replace(t, string(src), "\t\"sync/atomic\"\n", "\tatomic \"github.com/octet-go/octet/internal/interleave\"\n")
			if mutant.from != "" {
				text = replace(t, text, mutant.from, mutant.to)
			}
			out, err := testWith(t, "lend.go", text)
			if bytes.Contains(out, []byte("must not be replaced")) {
				t.Skip("NOT TESTED: this module was fetched, and the go command replaces no file of the module cache")
			}
			switch {
			case mutant.finds == "" && err != nil:
				t.Errorf("%v\n%s", err, out)
			case mutant.finds != "" && (err == nil || !bytes.Contains(out, []byte(mutant.finds))):
				t.Errorf("not found: %v\n%s", err, out)
			}
		})
	}
}

func replace(t *testing.T, s, from, to string) string {
	if strings.Count(s, from) != 1 {
		t.Fatalf("not exactly once in lend.go: %s", from)
	}
	return strings.Replace(s, from, to, 1)
}

// testWith runs TestInterleaved with text as the contents of a file.
func testWith(t *testing.T, file, text string) ([]byte, error) {
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	other, overlay := filepath.Join(t.TempDir(), file), filepath.Join(t.TempDir(), "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: other}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{other: []byte(text), overlay: replace} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return exec.Command("go", "test", "-overlay="+overlay, "-tags=octet_interleave", "-vet=off", "-count=1", "-run=^TestInterleaved$", "-v", ".").CombinedOutput()
}
