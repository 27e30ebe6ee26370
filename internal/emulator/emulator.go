// Package emulator tells whether QEMU's user mode runs this process.
//
// There a program with several threads cannot rely on its children. QEMU has
// threads of its own and locks that they hold, and its fork copies these as they
// are at that moment: now and then a child waits for ever, and its parent for the
// child. Whoever would start a process asks here first.
package emulator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Running reports whether QEMU's user mode runs this process. QEMU answers for
// /proc/self/exe itself, so that the program is there; in the directory of a
// thread the kernel answers, and QEMU is there.
func Running() bool {
	exe, err := os.Readlink(fmt.Sprintf("/proc/self/task/%d/exe", os.Getpid()))
	return err == nil && strings.HasPrefix(filepath.Base(exe), "qemu-")
}

// SkipTest skips a test that starts processes if Running.
func SkipTest(t interface {
	Helper()
	Skip(...any)
}) {
	t.Helper()
	if Running() {
		t.Skip("NOT TESTED: in QEMU's user mode processes cannot be started safely")
	}
}
