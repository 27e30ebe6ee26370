package testenv

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Calls builds the test of the package in the current directory, as Compile does,
// and returns what its functions whose names match the pattern call, by name.
func Calls(t testing.TB, pattern string) map[string][]string {
	t.Helper()
	NeedsExec(t)
	PlainBuild(t)
	binary := filepath.Join(t.TempDir(), "test")
	args := []string{"test", "-c", "-o", binary}
	if tags := BuildSetting("-tags"); tags != "" {
		args = append(args, "-tags="+tags)
	}
	if out, err := exec.Command("go", append(args, ".")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "objdump", "-s", pattern, binary).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	calls, name := make(map[string][]string), ""
	for line := range strings.SplitSeq(string(out), "\n") {
		if m := function.FindStringSubmatch(line); m != nil {
			name = m[1]
			calls[name] = nil
		} else if m := call.FindStringSubmatch(line); m != nil {
			calls[name] = append(calls[name], m[1])
		}
	}
	return calls
}

// WantCallsOnly fails if there are not count functions whose names match the pattern, or if
// one of them calls something that does not match callees.
func WantCallsOnly(t testing.TB, pattern string, count int, callees string) {
	t.Helper()
	calls, allowed := Calls(t, pattern), regexp.MustCompile("^("+callees+")$")
	if len(calls) != count {
		t.Fatalf("found %d functions, want %d: %v", len(calls), count, calls)
	}
	for name, called := range calls {
		for _, callee := range called {
			if !allowed.MatchString(callee) {
				t.Errorf("%s calls %s", name[strings.LastIndex(name, "/")+1:], callee)
			}
		}
	}
}

// Pinning matches what a fast path calls in order to pin, and what the compiler inserts.
const Pinning = `runtime\.(procPin|procUnpin|gcWriteBarrier\d|morestack_noctxt(\.abi0)?)`

// function matches the line with which objdump begins a function, and call one with
// an instruction that calls another: CALL on x86 and arm64, BL on others.
var (
	function = regexp.MustCompile(`^TEXT (\S+)\(SB\)`)
	call     = regexp.MustCompile(`\t(?:CALL|BL) (\S+)\(SB\)`)
)
