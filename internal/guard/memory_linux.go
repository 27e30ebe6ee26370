//go:build linux && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64) && !race && !msan && !asan && !octet_purego

package guard

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Spaces is memory for Linux with addresses in plenty. It reserves a space at a
// time, hands its blocks out one behind the other, and never gives it back.
//
// What a dead block costs is the kernel's mapping, which merges with that of the
// dead block beside it, and page tables: one page for each block goes with the
// block, and one for each region, which is as many blocks as a page has entries,
// with the region.
type spaces struct {
	pageSize   int
	guardPages bool // the kernel has them
	maps       int  // vm.max_map_count
	addresses  int  // how many may be reserved still

	all    ranges
	spaces []*space
}

// A space is a run of addresses from the start of a region to the end of one.
type space struct {
	mem  []byte
	next int   // what is handed out
	dead []int // bytes that are retired, for each region
}

// The advice is that of Linux 6.13. It has the same numbers everywhere.
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

// maxMapCount returns how many mappings the kernel allows. It is 65,530 unless
// somebody changed it.
func maxMapCount() int {
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			return n
		}
	}
	return 65530
}

// maxAddresses returns how many addresses may be reserved: if the process may have
// so many only (ulimit -v), a quarter of them, since the rest is what its heap
// grows in.
func maxAddresses() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur > uint64(maxInt) {
		return maxInt
	}
	return int(limit.Cur / 4)
}

// hasGuardPages reports whether advice to install a guard page makes it
// inaccessible: where the kernel is not Linux, but says so, it may be taken and do
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

// limits leaves a quarter of the mappings that the kernel allows to the program,
// and as much again if there are guard pages.
func (s *spaces) limits() (live, maxLive, systemMaps int) {
	if s.guardPages {
		// Such a slice costs memory alone: the default is 256 MiB of the smallest.
		return 1 << 16, maxInt, s.maps / 2
	}
	return s.maps / 4, s.maps / 4, s.maps / 4
}

// systemMaps counts the part of a block that is accessible and that which is not.
// The dead around it are one with their neighbours.
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
	// Each is larger than the one before, up to a terabyte, unless that is refused.
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
	// A region starts at a multiple of its size, a block too. What lies before the
	// first is lost.
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

// closeForGood maps nothing in place of b, which gives the memory and, where they
// are covered whole, the page tables back. It fails if the kernel has no room for
// more mappings, which the arena's bounds prevent unless the program itself uses
// them up; then the second call may do, and else the memory stays accessible. In
// any case it is not handed out again.
func closeForGood(b []byte) {
	// Sound: b lies in a space, which is ours for ever, and is not of Go's heap.
	_, _, errno := syscall.Syscall6(syscall.SYS_MMAP, address(b), uintptr(len(b)), syscall.PROT_NONE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE|syscall.MAP_FIXED, ^uintptr(0), 0)
	if errno != 0 {
		syscall.Mprotect(b, syscall.PROT_NONE)
	}
}

func (s *spaces) owns(p uintptr) bool { return s.all.has(p) }
