package buffer

import (
	"math/bits"
	"os/exec"
	"regexp"
	"testing"

	"github.com/octet-go/octet/internal/emulator"
)

// The figures of this package rest on small methods being inlined. Some are a
// node below what the compiler allows.
func TestInlining(t *testing.T) {
	emulator.SkipTest(t)
	if bits.UintSize == 32 {
		return // 64-bit atomics are calls there, which are too expensive
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	inlined := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m): can inline (.+)$`).FindAllStringSubmatch(string(out), -1) {
		inlined[m[1]] = true
	}
	for _, name := range []string{
		"current", "Put", "Release", "(*Buffer).Put", "(*Buffer).Close", "(*Buffer).reset", "(*Buffer).begin",
		"(*seat).idle", "(*seat).claim", "(*seat).lent",
		"(*Buffer).Append", "(*Buffer).AppendByte", "(*Buffer).AppendString",
		"(*Buffer).Write", "(*Buffer).WriteByte", "(*Buffer).WriteString",
		"(*Buffer).Available", "(*Buffer).AvailableBuffer", "(*Buffer).Bytes", "(*Buffer).Cap", "(*Buffer).Len",
		"(*Buffer).String", "(*Buffer).UnsafeString", "(*Buffer).CopyTo", "(*Buffer).Reset",
		"(*Buffer).Peek", "(*Buffer).ReadByte",
		"(*Buffer).RefAdd", "(*Buffer).RefDec", "(*Buffer).RefInc", "(*Buffer).RefValue",
	} {
		if !inlined[name] {
			t.Errorf("%s is not inlined any more", name)
		}
	}
}
