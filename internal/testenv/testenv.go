// Package testenv has what the tests of several packages need: whether they can
// start processes here, what the compiler says of a package, and whether the map in
// a package's comment is right.
//
// # Map
//
//	testenv.go  what a test needs of its environment
//	compile.go  what the compiler says: inlining, escapes
//	calls.go    what functions call in the machine code
//	filemap.go  the map in a package's comment, like this one
//	overlay.go  a package with other contents of some files
package testenv

import (
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
