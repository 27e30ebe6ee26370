package poolwatch

import "unsafe"

// These are in package runtime: those whose names are not given here, in a file that the command adds to it.

// heapObject returns where the heap object that has address p begins, its size, and
// whether one near it has a finalizer or the like; 0 if p is not in the heap.
//
//go:linkname heapObject
func heapObject(p uintptr) (base, size uintptr, special bool)

// callers fills pcs with calls on the stack, the innermost first, and returns how many. It
// is fast and leaves the inlined calls out.
//
//go:noescape
//go:linkname callers
func callers(pcs []uintptr) int

// heapMarked returns the size of the heap after the last collection.
//
//go:linkname heapMarked
func heapMarked() uint64

// memmove copies bytes, and the race detector does not see it.
//
//go:linkname memmove runtime.memmove
func memmove(to, from unsafe.Pointer, n uintptr)

// cheaprand returns a random number, from a generator of each thread.
//
//go:linkname cheaprand runtime.cheaprand
func cheaprand() uint32

// reserve returns the address of n bytes that cannot be accessed, nil if there are none. They consist of slots of one
// size, in which a fault is not the program's end.
//
//go:linkname reserve
func reserve(n, slot uintptr) unsafe.Pointer

// protect makes some of these bytes accessible or not, and discard drops what is there.
//
//go:linkname protect
func protect(p, n uintptr, accessible bool) bool

//go:linkname discard
func discard(p unsafe.Pointer, n uintptr)

// nextFault returns the address of a fault there, and the stack, or 0 if there is no more.
//
//go:linkname nextFault
func nextFault() (addr uintptr, pcs []uintptr)

// getenv works before package os is initialized.
//
//go:linkname getenv
func getenv(key string) string

// raceWrite tells the race detector of a write with that stack, which comes before nothing that anybody does later.
//
//go:linkname raceWrite
func raceWrite(p unsafe.Pointer, n uintptr, calls []uintptr)

func bytesAt(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }

// move is copy, which the race detector would see.
func move(to, from []byte) int {
	n := min(len(to), len(from))
	if n > 0 {
		memmove(unsafe.Pointer(&to[0]), unsafe.Pointer(&from[0]), uintptr(n))
	}
	return n
}

// asString is for comparisons: the race detector would see string(b).
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
