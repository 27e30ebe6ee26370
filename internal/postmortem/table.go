//go:build (linux || darwin || freebsd || netbsd || dragonfly) && !race && !msan && !asan && !octet_purego

package postmortem

import (
	"os"
	"reflect"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// A Table says where which addresses were acquired and freed. It is in a file without
// a name that the program and the reporter both map: entries of what is live, and then a
// ring of the last that were freed.
type Table struct {
	file    *os.File
	mem     []byte
	entries []entry // mem

	mu    sync.Mutex
	free  []int // entries for what is live that nothing has
	freed int   // how many were freed
}

// An entry takes 256 bytes.
type entry struct {
	start, size uint64
	shown       uint64 // the size that reports name
	acquiredAt  int64  // nanoseconds of Unix time
	releasedAt  int64
	state       uint32 // atomic; the other fields mean something unless it is unused
	nameLen     uint8
	acquiredLen uint8
	releasedLen uint8
	_           uint8
	name        [48]byte
	acquired    [20]int32 // program counters, as relative returns them
	released    [20]int32
}

// The states of an entry.
const (
	unused = iota
	live
	freed
)

const (
	entrySize   = 256
	liveEntries = 1 << 14 // what more is live has no report
	history     = 1 << 14
	tableSize   = (liveEntries + history) * entrySize // 8 MiB
)

// A page must be a multiple of the size.
var _ [entrySize]byte = [unsafe.Sizeof(entry{})]byte{}

// NewTable makes an empty table. Its file is in memory if there is a file system for
// that.
func NewTable() (*Table, error) {
	f, err := os.CreateTemp("/dev/shm", "octet-guard-")
	if err != nil {
		if f, err = os.CreateTemp("", "octet-guard-"); err != nil {
			return nil, err
		}
	}
	os.Remove(f.Name())
	// It is written whole, because the file system might be full when the entries are; and
	// in parts, because the kernel would have to find a page for each of a zeroed MiB.
	zeros := make([]byte, 64<<10)
	for range tableSize / len(zeros) {
		if _, err := f.Write(zeros); err != nil {
			f.Close()
			return nil, err
		}
	}
	mem, err := syscall.Mmap(int(f.Fd()), 0, tableSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		f.Close()
		return nil, os.NewSyscallError("mmap", err)
	}
	t := &Table{file: f, mem: mem, entries: entriesOf(mem), free: make([]int, liveEntries)}
	for i := range t.free {
		t.free[i] = i
	}
	return t, nil
}

// entriesOf returns the entries in a mapping.
//
// Sound: a mapping is aligned to a page, an entry has no pointers, and all of its
// bit patterns are values. The slice does not keep the mapping: nothing unmaps it.
func entriesOf(mem []byte) []entry {
	return unsafe.Slice((*entry)(unsafe.Pointer(unsafe.SliceData(mem))), len(mem)/entrySize)
}

// Acquire adds a mapping and returns the index of its entry, or -1 if there is no
// room. Reports name the size shown, which may be less. Stacks are as runtime.Callers
// returns them. Arguments are not retained.
func (t *Table) Acquire(start uintptr, size, shown int, pool string, pcs []uintptr) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(t.free) - 1
	if n < 0 {
		return -1
	}
	i := t.free[n]
	t.free = t.free[:n]
	e := &t.entries[i]
	e.start, e.size, e.shown = uint64(start), uint64(size), uint64(shown)
	e.acquiredAt = time.Now().UnixNano()
	e.nameLen = uint8(copy(e.name[:], pool))
	e.acquiredLen = relative(&e.acquired, pcs)
	atomic.StoreUint32(&e.state, live)
	return i
}

// Release notes that the mapping of entry i is freed.
func (t *Table) Release(i int, pcs []uintptr) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e, to := &t.entries[i], &t.entries[liveEntries+t.freed%history]
	atomic.StoreUint32(&e.state, unused)
	atomic.StoreUint32(&to.state, unused)
	*to = *e
	to.releasedAt = time.Now().UnixNano()
	to.releasedLen = relative(&to.released, pcs)
	atomic.StoreUint32(&to.state, freed)
	t.free = append(t.free, i)
	t.freed++
}

// Close closes the file and unmaps it.
func (t *Table) Close() {
	syscall.Munmap(t.mem)
	t.file.Close()
}

// anchor is what program counters are stored relative to: the reporter is the same
// program, but may be loaded elsewhere.
var anchor = reflect.ValueOf(entriesOf).Pointer()

// relative stores program counters and returns how many. It leaves out those that are
// too far away to be Go code of this program.
func relative(to *[20]int32, pcs []uintptr) uint8 {
	n := 0
	for _, pc := range pcs[:min(len(pcs), len(to))] {
		d := int(pc - anchor)
		if int(int32(d)) == d {
			to[n] = int32(d)
			n++
		}
	}
	return uint8(n)
}

// absolute is the inverse of relative, in this process.
func absolute(from []int32) []uintptr {
	pcs := make([]uintptr, len(from))
	for i, d := range from {
		pcs[i] = anchor + uintptr(int(d))
	}
	return pcs
}

// find returns the entry of the mapping that p lies in, including the page behind it,
// or nil. Of several, where addresses are used again, it returns the latest.
func find(entries []entry, p uint64, page int) *entry {
	var found *entry
	for i := range entries {
		e := &entries[i]
		if e.state == unused || (found != nil && e.acquiredAt < found.acquiredAt) {
			continue
		}
		first := e.start &^ uint64(page-1)
		if first <= p && p < e.start+e.size+uint64(page) {
			found = e
		}
	}
	return found
}
