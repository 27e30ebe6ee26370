//go:build !octet_purego

package binary_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/testenv"
)

// The methods for numbers are inlined into their callers, so that a field takes one
// call of this package and one of the Writer or Reader. So are the small functions that
// the functions for each width call.
func TestInlining(t *testing.T) {
	numbers := "Bool Byte Uint8 Uint16 Uint32 Uint64 Int8 Int16 Int32 Int64 Rune Float32 Float64 End"
	parts := "is[encoding/binary.littleEndian] is[encoding/binary.bigEndian] reverseLow lay pick " +
		"(*WriteChain).wrote (*scratchRef).ready (*scratchRef).take (*scratchRef).release"
	want := strings.Fields(parts)
	for _, m := range strings.Fields(numbers) {
		want = append(want, "(*WriteChain)."+m, "(*Reader)."+m)
	}
	c := testenv.Compile(t, "-m")
	c.WantInlined(t, want...)
	for _, m := range regexp.MustCompile(`(?m)leaking param: ([cr])$`).FindAllString(c.Output, -1) {
		t.Errorf("a chain or Reader would always be on the heap: %s", m)
	}
}
