package source

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

// behind is a line that many behind the one at hand.
var behind = regexp.MustCompile(`line \+\d`)

// A slice of a pool is to be cleared, for the reason that the line says, unless the line says that it is written.
func TestWritten(t *testing.T) {
	src, err := os.ReadFile("testdata/written/written.go")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := Open("testdata/written")
	if err != nil {
		t.Fatal(err)
	}
	written, cleared := 0, 0
	for i, line := range strings.Split(string(src), "\n") {
		_, want, ok := strings.Cut(line, ") // ")
		if _, in, isIf := strings.Cut(line, "{ // "); isIf {
			want, ok = in, true
		}
		if _, in, isCut := strings.Cut(line, "] // "); isCut {
			want, ok = in, true
		}
		if !ok {
			continue
		}
		frame := profiles.Frame{Func: "example.com/written.f", File: "/x/written.go", Line: i + 1}
		fn, _, _ := tree.function(frame)
		call, r := fn.allocation(i + 1)
		if !call.Valid() || !r.cleared {
			t.Errorf("line %d: no call of make", i+1)
			continue
		}
		got := fn.unwritten(call)
		if why, clear := strings.CutPrefix(want, "clear: "); clear {
			why = behind.ReplaceAllStringFunc(why, func(s string) string { return "line " + strconv.Itoa(i+1+int(s[len(s)-1]-'0')) })
			cleared++
			if got == "" || !strings.Contains(got, why) {
				t.Errorf("line %d: %q, want %q", i+1, got, why)
			}
			continue
		}
		written++
		if got != "" {
			t.Errorf("line %d: %q, want nothing", i+1, got)
		}
	}
	if written < 14 || cleared < 40 {
		t.Errorf("%d lines are written, and %d to be cleared", written, cleared)
	}
}
