//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package guard

import (
	"os"
	"syscall"
)

// chunks is memory for systems on which package syscall can only map, protect and
// unmap, and for those on which addresses are scarce. A block is a mapping that the
// system places.
//
// Closing pages does not return their memory to the system. Unmapping a block returns
// its addresses as well, and a system that looks for the lowest or highest hole uses
// these at once. So blocks are small, and the last ones that were retired are kept,
// closed, until others take their place.
type chunks struct {
	all    ranges
	dead   [64][]byte // ring of retired blocks, 16 MiB of them
	oldest int
}

// chunkSize is that of a block: a multiple of every page size.
const chunkSize = 256 << 10

func (c *chunks) block() int { return chunkSize }

// limits suits Linux, the strictest system, which allows 65,530 mappings: blocks use
// at most a quarter, and retired ones 4,096 more.
func (c *chunks) limits() (live, systemMaps int) { return 1 << 13, 1 << 14 }

// systemMaps counts each page of a block that is cut. A page that was accessible
// once does not merge with one that was not when both are inaccessible.
func (c *chunks) systemMaps(whole bool) int {
	if whole {
		return 2
	}
	return chunkSize / os.Getpagesize()
}

func (c *chunks) reserve(size int) []byte {
	page := os.Getpagesize()
	size = (size + page - 1) &^ (page - 1)
	if size < 0 {
		return nil
	}
	mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	c.all.add(mem)
	return mem
}

func (c *chunks) open(b []byte) error { return protect(b, syscall.PROT_READ|syscall.PROT_WRITE) }

func (c *chunks) close(b []byte) { protect(b, syscall.PROT_NONE) }

func (c *chunks) retire(block []byte) {
	last := block
	if len(block) == chunkSize {
		c.close(block)
		last, c.dead[c.oldest] = c.dead[c.oldest], block
		c.oldest = (c.oldest + 1) % len(c.dead)
	}
	if last != nil {
		c.all.remove(last)
		syscall.Munmap(last)
	}
}

func (c *chunks) owns(p uintptr) bool { return c.all.has(p) }
