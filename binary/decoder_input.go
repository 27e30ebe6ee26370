//go:build !octet_purego

package binary

import (
	"runtime"
	"unsafe"
)

// An input is the memory that a Decoder reads: a pointer to its first byte, or nil if
// it is empty. The Decoder knows its length and checks every read against it. A slice
// would check the bounds of every read again, because the compiler cannot know that
// an offset never wraps around.
//
// Sound: the memory belongs to a slice of at least the Decoder's n bytes, which the
// pointer keeps alive. An offset i is passed to a method only after
//
//	e := i + size; e <= n
//
// was true. Either i is at most n, or it has the bit failed set and is less than
// failed + 1<<63 - 16. In both cases e does not wrap around, so i < e <= n. The method
// bytes makes slices, whose own bounds checks keep pointers from passing the end.
type input struct{ p unsafe.Pointer }

func newInput(b []byte) input { return input{unsafe.Pointer(unsafe.SliceData(b))} }

func (in input) at(i uint64) byte      { return *(*byte)(unsafe.Add(in.p, i)) }
func (in input) at2(i uint64) *[2]byte { return (*[2]byte)(unsafe.Add(in.p, i)) }
func (in input) at4(i uint64) *[4]byte { return (*[4]byte)(unsafe.Add(in.p, i)) }
func (in input) at8(i uint64) *[8]byte { return (*[8]byte)(unsafe.Add(in.p, i)) }

// bytes returns the first n bytes.
func (in input) bytes(n uint64) []byte { return unsafe.Slice((*byte)(in.p), n) }

// unlink returns e and hides from the compiler where it comes from. Escape analysis
// does not tell apart what the fields of a Decoder point to: if it saw that Err
// returns the error, an input on the caller's stack would have to move to the heap.
//
// Sound: a Decoder's error is always on the heap, because it is stored through a
// pointer, and KeepAlive keeps e alive until p is a pointer that the collector sees.
//
//go:nocheckptr
func unlink(e *Error) *Error {
	x := uintptr(unsafe.Pointer(e))
	p := *(**Error)(unsafe.Pointer(&x))
	runtime.KeepAlive(e)
	return p
}
