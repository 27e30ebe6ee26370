//go:build linux && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64) && !race && !msan && !asan && !octet_purego

package guard

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// spaces is memory for Linux where addresses are plentiful. It reserves one space
// after the other, hands out the blocks of each in order, and never returns a space.
//
// A dead block costs a mapping of the kernel, which merges with that of the dead block
// beside it, and page tables. One page of these covers a block and goes with it. One
// covers a region, which is as many blocks as a page has entries, and goes with that.
type spaces struct {
	pageSize   int
	guardPages bool // the kernel has them
	maps       int  // vm.max_map_count
	addresses  int  // how many may still be reserved

	all    ranges
	spaces []*space
}

// A space is a run of addresses from the start of a region to the end of one.
type space struct {
	mem  []byte
	next int   // bytes that are handed out
	dead []int // retired bytes of each region
}

// Advice since Linux 6.13. It has the same numbers on all processors.
const (
	adviseGuardInstall = 102
	adviseGuardRemove  = 103
)

func systemMemory() memory { return newSpaces() }

func newSpaces() *spaces {
	s := &spaces{pageSize: os.Getpagesize(), maps: maxMapCount(), addresses: maxAddresses()}
	s.guardPages = hasGuardPages(s.pageSize)
	return s
}

// maxMapCount returns how many mappings the kernel allows, by default 65,530.
func maxMapCount() int {
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return n
		}
	}
	return 65530
}

// maxAddresses returns how many addresses may be reserved. If the process has a limit
// (ulimit -v) that is a quarter of it: the heap needs the rest.
func maxAddresses() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur > uint64(maxInt) {
		return maxInt
	}
	return int(limit.Cur / 4)
}

// hasGuardPages reports whether the advice to install a guard page makes a page
// inaccessible. A kernel that is not Linux but says so may accept the advice and do
// nothing. A system call shows that without a fault.
func hasGuardPages(page int) bool {
	mem, err := syscall.Mmap(-1, 0, page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return false
	}
	defer syscall.Munmap(mem)
	if syscall.Madvise(mem, adviseGuardInstall) != nil || !inaccessible(mem) {
		return false
	}
	return syscall.Madvise(mem, adviseGuardRemove) == nil && !inaccessible(mem)
}

// inaccessible reports whether the kernel cannot write to a page.
func inaccessible(mem []byte) bool {
	_, err := syscall.Getcwd(mem)
	return err == syscall.EFAULT
}

func (s *spaces) page() int { return s.pageSize }

// entries returns how many entries of 8 bytes a page of a page table has.
func (s *spaces) entries() int { return s.pageSize / 8 }

func (s *spaces) block() int { return s.pageSize * s.entries() }

func (s *spaces) region() int { return s.block() * s.entries() }

// limits leaves the program at least a quarter of the mappings that the kernel allows,
// and half of them if there are guard pages.
func (s *spaces) limits() (live, maxLive, systemMaps int) {
	if s.guardPages {
		// Such a slice costs memory alone: the default is 256 MiB of the smallest.
		return 1 << 16, maxInt, s.maps / 2
	}
	return s.maps / 4, s.maps / 4, s.maps / 4
}

// systemMaps counts the accessible part of a block and the inaccessible one. Dead parts
// merge with their neighbours.
func (s *spaces) systemMaps(bool) int { return 2 }

func (s *spaces) reserve(size int) []byte {
	block := s.block()
	size = (size + block - 1) &^ (block - 1)
	if size < 0 {
		return nil
	}
	if len(s.spaces) > 0 {
		if mem := s.spaces[len(s.spaces)-1].take(size); mem != nil {
			return mem
		}
	}
	// Each space is larger than the one before, up to a terabyte, or as large as the
	// kernel permits.
	length := min(1<<40, 1<<33<<len(s.spaces))
	length = min(max(length, size+s.region()), s.addresses&^(block-1))
	for ; length >= size; length /= 2 {
		sp := s.newSpace(length)
		if sp == nil {
			continue
		}
		s.addresses -= length
		s.spaces = append(s.spaces, sp)
		if mem := sp.take(size); mem != nil {
			return mem
		}
		break
	}
	return nil
}

// newSpace reserves addresses, or returns nil.
func (s *spaces) newSpace(length int) *space {
	mem, err := syscall.Mmap(-1, 0, length, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	// Regions and blocks start at multiples of their sizes. The addresses before the
	// first are lost.
	align := s.region()
	if length < 2*align {
		align = s.block()
	}
	lost := int(-address(mem) & uintptr(align-1))
	if lost >= length {
		syscall.Munmap(mem)
		return nil
	}
	mem = mem[lost:]
	s.all.add(address(mem), address(mem)+uintptr(len(mem)))
	return &space{mem: mem, dead: make([]int, len(mem)/s.region())}
}

// take returns the next size bytes, or nil.
func (sp *space) take(size int) []byte {
	if len(sp.mem)-sp.next < size {
		return nil
	}
	mem := sp.mem[sp.next : sp.next+size : sp.next+size]
	sp.next += size
	return mem
}

func (s *spaces) prepare(block []byte) error {
	if !s.guardPages {
		return nil
	}
	if err := syscall.Mprotect(block, syscall.PROT_READ|syscall.PROT_WRITE); err != nil {
		return err
	}
	return syscall.Madvise(block, adviseGuardInstall)
}

func (s *spaces) open(b []byte) error {
	if s.guardPages {
		return syscall.Madvise(b, adviseGuardRemove)
	}
	return s.openWhole(b)
}

func (s *spaces) openWhole(b []byte) error {
	return syscall.Mprotect(b, syscall.PROT_READ|syscall.PROT_WRITE)
}

func (s *spaces) close(b []byte) {
	if s.guardPages && syscall.Madvise(b, adviseGuardInstall) == nil {
		return
	}
	closeForGood(b)
}

func (s *spaces) retire(block []byte) {
	closeForGood(block)
	for _, sp := range slices.Backward(s.spaces) {
		from := int(address(block) - address(sp.mem))
		if from < 0 || from >= len(sp.mem) {
			continue
		}
		region := s.region()
		for to := from + len(block); from < to; {
			i := from / region
			n := min(to, (i+1)*region) - from
			from += n
			if i == len(sp.dead) {
				return // the rest of a space that is not a region
			}
			if sp.dead[i] += n; sp.dead[i] == region {
				closeForGood(sp.mem[i*region : (i+1)*region])
			}
		}
		return
	}
}

// closeForGood replaces b by an inaccessible mapping, which returns the memory to the
// system, and the page tables that b covers whole. This fails if the kernel has no
// room for more mappings, which the arena's bounds prevent unless the program itself
// uses them up. Then mprotect may succeed; otherwise the memory stays accessible. In
// any case it is not handed out again.
func closeForGood(b []byte) {
	// Sound: b lies in a space, which is ours for ever, and not in Go's heap.
	_, _, errno := syscall.Syscall6(syscall.SYS_MMAP, address(b), uintptr(len(b)), syscall.PROT_NONE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE|syscall.MAP_FIXED, ^uintptr(0), 0)
	if errno != 0 {
		syscall.Mprotect(b, syscall.PROT_NONE)
	}
}

func (s *spaces) owns(p uintptr) bool { return s.all.has(p) }
