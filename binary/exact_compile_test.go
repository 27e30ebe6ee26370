//go:build !octet_purego

package binary_test

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/octet-go/octet/internal/emulator"
)

// What is around the body of a width is inlined into its callers, so that a field
// is one call of ours and one of the Writer or Reader; and the small parts of the
// bodies are inlined into them.
func TestExactInlining(t *testing.T) {
	emulator.SkipTest(t)
	numbers := "Bool Byte Uint8 Uint16 Uint32 Uint64 Int8 Int16 Int32 Int64 Rune Float32 Float64 End"
	parts := "is[encoding/binary.littleEndian] is[encoding/binary.bigEndian] reverseLow swapped lay pick " +
		"(*WriteChain).wrote (*scratchRef).ready (*scratchRef).take (*scratchRef).release"
	want := strings.Fields(parts)
	for _, m := range strings.Fields(numbers) {
		want = append(want, "(*WriteChain)."+m, "(*Reader)."+m)
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	inlined := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m): can inline (.+)$`).FindAllStringSubmatch(string(out), -1) {
		inlined[m[1]] = true
	}
	for _, name := range want {
		if !inlined[name] {
			t.Errorf("%s is not inlined any more", name)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)leaking param: ([cr])$`).FindAllString(string(out), -1) {
		t.Errorf("a chain or Reader would always be on the heap: %s", m)
	}
}
