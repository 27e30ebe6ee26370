// Package emulator tells whether QEMU's user mode runs this process.
//
// There a child of a program with several threads may wait for ever before it has
// executed anything: QEMU's fork copies a lock (clone_lock in linux-user/syscall.c)
// that another thread may hold at that moment, and takes it when the child exits.
// Whoever starts a program that may not start asks here first.
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
