package bytebuf_test

import (
	"regexp"
	"runtime"
	"testing"

	"github.com/octet-go/octet/internal/sanitize"
	"github.com/octet-go/octet/internal/testenv"
)

// On 386 and arm, atomic loads are calls, which exceed the inliner's budget.
const atomicsInline = purego || runtime.GOARCH != "386" && runtime.GOARCH != "arm"

// TestCompile pins what the design needs from the compiler. Small methods are inlined.
// Methods that need not move a Buffer or New's array to the heap do not. Methods that
// pass the array to others do, which is a matter of safety: if escape analysis did not
// see that, memory would be corrupted when a stack moves.
func TestCompile(t *testing.T) {
	if sanitize.Enabled {
		return // the compiler makes other code then; CI also tests without it
	}
	c := testenv.Compile(t, "-m=2")
	c.WantInlined(t, "New", "NewPointer", "NewBuffer", "NewBufferString")
	methods := []string{"Available", "Cap", "Len", "ReadBytes", "ReadString", "Reset", "Truncate", "UnreadByte", "UnreadRune"}
	if atomicsInline {
		methods = append(methods, "AvailableBuffer", "Bytes", "Peek", "String", "WriteByte")
	}
	for _, name := range methods {
		c.WantInlined(t, "(*Buffer)."+name)
	}

	// The compiler says "name:line:column: b …" for the receiver in the line of
	// the method.
	flows := make(map[string]string)
	method := regexp.MustCompile(`(?m)^\S*?(\w+\.go:\d+):6: (?:can|cannot) inline \(\*Buffer\)\.(\w+)[ :]`)
	for _, m := range method.FindAllStringSubmatch(c.Output, -1) {
		flow := regexp.MustCompile(regexp.QuoteMeta(m[1]) + `:\d+: (leaking param content: b|leaking param: b to result \S+ level=1|leaking param: b|b does not escape)\n`)
		for _, f := range flow.FindAllStringSubmatch(c.Output, -1) {
			flows[m[2]] = f[1]
		}
	}
	for flow, names := range map[string][]string{
		"b does not escape": {
			"Available", "Cap", "Grow", "Len", "Read", "ReadByte", "ReadBytes", "ReadRune", "ReadString", "Reset", "String",
			"Truncate", "UnreadByte", "UnreadRune", "Write", "WriteByte", "WriteRune", "WriteString",
		},
		"leaking param: b to result ~r0 level=1": {"AvailableBuffer", "Bytes", "Next", "Peek"},
		"leaking param content: b":               {"ReadFrom", "WriteTo"},
	} {
		for _, name := range names {
			if flows[name] != flow {
				t.Errorf("%s: the compiler says %q, want %q", name, flows[name], flow)
			}
		}
	}
}
