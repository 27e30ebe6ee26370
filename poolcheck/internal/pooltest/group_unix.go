//go:build unix

package pooltest

import (
	"os/exec"
	"syscall"
)

// group makes a command that is cancelled end with all that it has started.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
