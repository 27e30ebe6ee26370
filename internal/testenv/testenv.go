// Package testenv has what the tests of several packages need: whether they can
// start processes here, what the compiler says of a package, and whether the map in
// a package's comment is right.
//
// # Map
//
//	testenv.go  what a test needs of its environment
//	compile.go  what the compiler says: inlining, escapes
//	calls.go    what functions call in the machine code
//	path.go     calls by many paths
//	filemap.go  the map in a package's comment, like this one
//	explore.go  tests that explore interleavings, in a build of their own
package testenv

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/octet-go/octet/internal/emulator"
)

// NeedsExec skips a test that starts processes where that is not safe: see
// package emulator.
func NeedsExec(t testing.TB) {
	t.Helper()
	if emulator.Running() {
		t.Skip("NOT TESTED: in QEMU's user mode processes cannot be started safely")
	}
}

// Missing skips a test that needs a program which this machine lacks. Under .ci/run,
// which installs such programs, it fails the test.
func Missing(t testing.TB, program string) {
	t.Helper()
	if os.Getenv("OCTET_CI") != "" {
		t.Fatalf("there is no %s, although .ci/run installs it", program)
	}
	t.Skipf("NOT TESTED: there is no %s", program)
}

// BuildSetting returns what the test was built with: the value of a key such as
// -tags or -race in the build information, "" if it is not there.
func BuildSetting(key string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == key {
				return s.Value
			}
		}
	}
	return ""
}

// Rounds returns how often a test repeats something that it does n times in full: a tenth
// of that with -short.
func Rounds(n int) int {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}
