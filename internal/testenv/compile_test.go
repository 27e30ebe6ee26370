package testenv

import (
	"fmt"
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

func TestWantInlined(t *testing.T) {
	t.Chdir("testdata/inlining")
	for _, gcflags := range []string{"-m", "-m=2"} {
		c := Compile(t, gcflags)
		var f failures
		c.WantInlined(&f, "Small", "number.Twice", "(*Pair[go.shape.int]).First")
		if len(f.list) > 0 {
			t.Errorf("%s: %q, and the compiler says\n%s", gcflags, f.list, c.Output)
		}
		c.WantInlined(&f, "Large", "missing", "Sma")
		if want := []string{"Large is not inlined any more", "missing is not inlined any more", "Sma is not inlined any more"}; !slices.Equal(f.list, want) {
			t.Errorf("%s: %q, want %q", gcflags, f.list, want)
		}
		if !strings.Contains(c.Output, "does not escape") {
			t.Errorf("%s: the output has no word of escapes:\n%s", gcflags, c.Output)
		}
	}
}
