//go:build !octet_purego

package binary

import (
	"runtime"
	"unsafe"
)

// An input is the memory that a Decoder reads: a pointer to its first byte, nil if
// there is none. How long it is, and whether a read lies within, is the Decoder's
// business. That saves a second check of the bounds in every read, which the
// compiler would make because it cannot know that an offset never wraps around.
//
// Sound: the memory is that of a slice of at least the Decoder's n bytes, which the
// pointer keeps alive, and an offset only gets here after
//
//	e := i + size; e <= n
//
// was found true, where i is either at most n, or has the bit failed set and is
// less than failed + 1<<63 - 16; so e does not wrap around, and i < e <= n.
// bytes makes slices, whose own checks keep pointers from going past the end.
type input struct{ p unsafe.Pointer }

func newInput(b []byte) input { return input{unsafe.Pointer(unsafe.SliceData(b))} }

func (in input) at(i uint64) byte      { return *(*byte)(unsafe.Add(in.p, i)) }
func (in input) at2(i uint64) *[2]byte { return (*[2]byte)(unsafe.Add(in.p, i)) }
func (in input) at4(i uint64) *[4]byte { return (*[4]byte)(unsafe.Add(in.p, i)) }
func (in input) at8(i uint64) *[8]byte { return (*[8]byte)(unsafe.Add(in.p, i)) }

// bytes returns the first n bytes.
func (in input) bytes(n uint64) []byte { return unsafe.Slice((*byte)(in.p), n) }

// unlink returns e, without the compiler knowing where it comes from. To the compiler
// all that a Decoder points at is one: if its error came out in full view, an input
// on the caller's stack would have to move to the heap.
//
// Sound: a Decoder's error is on the heap, because it was stored through a pointer,
// and e keeps it alive until the result does.
//
//go:nocheckptr
func unlink(e *Error) *Error {
	x := uintptr(unsafe.Pointer(e))
	p := *(**Error)(unsafe.Pointer(&x))
	runtime.KeepAlive(e)
	return p
}
