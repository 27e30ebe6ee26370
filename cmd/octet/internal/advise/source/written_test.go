package source

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/octet-go/octet/cmd/octet/internal/advise/profiles"
)

var (
	// made is a line that makes a slice, and what is said of it.
	made = regexp.MustCompile(`make\(.*// (written|clear: .*)$`)
	// behind is a line that many behind the one at hand.
	behind = regexp.MustCompile(`line \+\d`)
)

// A slice of a pool is to be cleared, for the reason that the line says, unless the line says that it is written.
func TestWritten(t *testing.T) {
	tree, err := Open("testdata/written")
	if err != nil {
		t.Fatal(err)
	}
	written, cleared := 0, 0
	for _, file := range []string{"written.go", "broken.go"} {
		src, err := os.ReadFile("testdata/written/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(src), "\n") {
			said := made.FindStringSubmatch(line)
			if said == nil {
				continue
			}
			_, got := unwritten(t, tree, file, i+1)
			why, clear := strings.CutPrefix(said[1], "clear: ")
			if !clear {
				written++
				if got != "" {
					t.Errorf("%s:%d: %q, want nothing", file, i+1, got)
				}
				continue
			}
			cleared++
			why = behind.ReplaceAllStringFunc(why, func(s string) string { return "line " + strconv.Itoa(i+1+int(s[len(s)-1]-'0')) })
			if !strings.Contains(got, why) {
				t.Errorf("%s:%d: %q, want %q", file, i+1, got, why)
			}
		}
	}
	if written < 15 || cleared < 105 {
		t.Errorf("%d lines are written, and %d to be cleared", written, cleared)
	}
}

// Where there is room behind the slice, or its capacity is read, the room is cleared, too.
func TestRoom(t *testing.T) {
	tree, err := Open("testdata/written")
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile("testdata/written/written.go")
	if err != nil {
		t.Fatal(err)
	}
	for function, want := range map[string]string{
		"copiedLess": "b", "room": "b[:cap(b)]", "emptyReturned": "b[:cap(b)]", "emptyNothing": "b[:cap(b)]", "emptyLonger": "b[:cap(b)]", "capacity": "b[:cap(b)]", "copied": "",
	} {
		before, _, _ := strings.Cut(string(src), "\nfunc "+function+"(")
		line := strings.Count(before, "\n") + 3
		if got, why := unwritten(t, tree, "written.go", line); got != want {
			t.Errorf("%s: %q for %s, want %q", function, got, why, want)
		}
	}
}

// unwritten says what is to be cleared of the slice b that a line makes, and why.
func unwritten(t *testing.T, tree *Tree, file string, line int) (part, why string) {
	t.Helper()
	fn, _, _ := tree.function(profiles.Frame{Func: "example.com/written.f", File: "/x/" + file, Line: line})
	call, r := fn.allocation(line)
	if !call.Valid() || !r.cleared {
		t.Fatalf("%s:%d: no call of make", file, line)
	}
	tr := tree.trace(fn)
	tr.origin = call.Node()
	tr.follow(call)
	return tr.unwritten(call, "b")
}
