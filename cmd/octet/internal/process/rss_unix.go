//go:build unix

package process

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS returns the most memory that was resident, in bytes. Darwin counts
// bytes, other systems KiB.
func maxRSS(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(usage.Maxrss)
	}
	return int64(usage.Maxrss) << 10
}
