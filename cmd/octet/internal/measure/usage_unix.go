//go:build unix

package measure

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// Used returns the processor time, user and system, that this process has used so far, and the
// most memory, in bytes, that was ever resident. What is unknown is 0.
func Used() (cpu time.Duration, rss int64) {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0, 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), maxRSS(&r)
}

// maxRSS returns the most memory that was resident, in bytes. Linux counts in Rusage that
// of the process which started this one, too, but not in its list. Darwin counts bytes,
// other systems KiB.
func maxRSS(r *syscall.Rusage) int64 {
	status, _ := os.ReadFile("/proc/self/status")
	if _, line, ok := bytes.Cut(status, []byte("\nVmHWM:")); ok {
		if f := bytes.Fields(line); len(f) > 0 {
			if kib, err := strconv.ParseInt(string(f[0]), 10, 64); err == nil {
				return kib << 10
			}
		}
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" {
		return int64(r.Maxrss)
	}
	return int64(r.Maxrss) << 10
}
