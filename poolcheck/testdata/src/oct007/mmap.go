//go:build linux || darwin

package oct007

import (
	"io"
	"syscall"

	"github.com/octet-go/octet/bytespool"
)

// bad: a mapping is not the collector's memory.
func mapped(fd, size int, w io.Writer) error {
	m, err := syscall.Mmap(fd, 0, size, syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	w.Write(m)
	bytespool.Release(m) // want "OCT007: .*m.*"
	return syscall.Munmap(m)
}
