// Package testenv has what the tests of several packages need: whether they can
// start processes here, what the compiler says of a package, and whether the map in
// a package's comment is right.
//
// # Map
//
//	testenv.go  what a test needs of its environment
//	compile.go  what the compiler says: inlining, escapes; and how large a program is
//	calls.go    what functions call in the machine code
//	path.go     calls by many paths
//	filemap.go  the map in a package's comment, like this one
//	explore.go  tests that explore interleavings, in a build of their own
package testenv

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

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

// PlainBuild skips, under a sanitizer, a test of a build without one: of what it builds
// itself, or of how much is allocated. Go test without a sanitizer runs the same.
func PlainBuild(t testing.TB) {
	t.Helper()
	if Race() || BuildSetting("-asan") == "true" {
		t.Skip("go test without a sanitizer tests the same")
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

// PureGo reports whether this is a build without unsafe, linkname and assembly.
func PureGo() bool {
	return slices.Contains(strings.Split(BuildSetting("-tags"), ","), "octet_purego")
}

// Race reports whether this is a build with the race detector.
func Race() bool { return BuildSetting("-race") == "true" }

// Long skips, with -short, a test that builds programs with detectors or plugins, explores
// interleavings, or needs seconds of processor time.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long")
	}
}

// Rounds returns how often a test repeats something that it does n times in full: a tenth
// of that with -short.
func Rounds(n int) int {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}

// Quietly stops collections and other processors until the test ends, so that what is
// released last is taken next. It waits for what follows the last collection.
func Quietly(t testing.TB) {
	procs, percent := runtime.GOMAXPROCS(1), debug.SetGCPercent(-1)
	t.Cleanup(func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(percent)
	})
	for range 3 { // a finalizer may keep something for the next collection
		done := make(chan bool)
		runtime.SetFinalizer(new([]byte), func(*[]byte) { close(done) })
		runtime.GC()
		<-done
	}
}

// Eventually polls until ok returns true, and fails the test if that takes a minute.
// Finalizers and cleanups run some time after runtime.GC returns.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for began := time.Now(); !ok(); time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}
