//go:build linux && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64) && !race && !msan && !asan && !octet_purego

package guard

import (
	"math"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/octet-go/octet/internal/rt"
)

// spaces is memory for Linux where addresses are plentiful. It reserves one space
// after the other, hands out the blocks of each in order, and never returns a space.
//
// A retired block costs a mapping of the kernel, which merges with that of the retired
// block beside it, and no page table: a block is what one page of these covers.
type spaces struct {
	maps      int // vm.max_map_count
	addresses int // how many may still be reserved

	all  ranges
	last []byte // the space that was reserved last, without what was handed out
}

func systemMemory() memory { return &spaces{maps: maxMapCount(), addresses: maxAddresses()} }

// maxMapCount returns how many mappings the kernel allows, by default 65,530.
func maxMapCount() int {
	text, _ := os.ReadFile("/proc/sys/vm/max_map_count")
	if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		return n
	}
	return 65530
}

// maxAddresses returns how many addresses may be reserved. If the process has a limit
// (ulimit -v) that is a quarter of it: the heap needs the rest.
func maxAddresses() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur > uint64(math.MaxInt) {
		return math.MaxInt
	}
	return int(limit.Cur / 4)
}

// block is as many pages as a page of a page table has entries, of 8 bytes each.
func (s *spaces) block() int { return os.Getpagesize() * os.Getpagesize() / 8 }

// limits leaves the program at least a quarter of the mappings that the kernel allows:
// a live mapping has two, its pages and the inaccessible one.
func (s *spaces) limits() (live, systemMaps int) { return s.maps / 4, s.maps / 4 }

// systemMaps counts the accessible part of a block and the inaccessible one. Dead parts
// merge with their neighbours.
func (s *spaces) systemMaps(bool) int { return 2 }

func (s *spaces) reserve(size int) []byte {
	block := s.block()
	size = (size + block - 1) &^ (block - 1)
	if size < 0 || len(s.last) < size && !s.nextSpace(size) {
		return nil
	}
	mem := s.last[:size:size]
	s.last = s.last[size:]
	return mem
}

// nextSpace reserves a space with room for size bytes, and reports whether it could. It
// is of 64 GiB, or as large as the kernel permits.
func (s *spaces) nextSpace(size int) bool {
	block := s.block()
	for length := min(max(1<<36, size+block), s.addresses&^(block-1)); length >= size; length /= 2 {
		mem, err := syscall.Mmap(-1, 0, length, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
		if err != nil {
			continue
		}
		s.addresses -= length
		s.all.add(mem)
		// The addresses before the first multiple of a block are lost.
		s.last = mem[min(len(mem), int(-rt.Address(mem)&uintptr(block-1))):]
		return len(s.last) >= size
	}
	return false
}

func (s *spaces) open(b []byte) error { return protect(b, syscall.PROT_READ|syscall.PROT_WRITE) }

// close replaces b by an inaccessible mapping, which returns the memory to the system, and
// the page tables that b covers whole. This fails if the kernel has no room for more
// mappings, which the arena's bounds prevent unless the program itself uses them up. Then
// mprotect may succeed; otherwise the memory stays accessible. In any case it is not
// handed out again.
func (s *spaces) close(b []byte) {
	// Sound: b lies in a space, which is ours for ever, and not in Go's heap.
	_, _, errno := syscall.Syscall6(syscall.SYS_MMAP, rt.Address(b), uintptr(len(b)), syscall.PROT_NONE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE|syscall.MAP_FIXED, ^uintptr(0), 0)
	if errno != 0 {
		protect(b, syscall.PROT_NONE)
	}
}

func (s *spaces) retire(block []byte) { s.close(block) }

func (s *spaces) owns(p uintptr) bool { return s.all.has(p) }
