// Package emulator tells whether QEMU's user mode runs this process.
//
// There a program with several threads cannot rely on its children. QEMU has
// threads and locks of its own, and its fork copies the locks as they are at that
// moment: now and then a child waits for ever, and its parent waits for the child.
// Code that is about to start a process asks here first. Tests do so by package
// testenv.
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
