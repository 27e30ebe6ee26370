//go:build !octet_purego

package binary

import (
	"reflect"
	"unsafe"

	"github.com/octet-go/octet/binary/internal/swap"
)

// sizeOf is the number of bytes of an element.
func sizeOf[T Number]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// unitOf is the number of bytes that are ordered as one number: the size of an
// element, or half of it for complex numbers.
func unitOf[T Number]() int {
	size := sizeOf[T]()
	if size == 16 || size == 8 && reflect.TypeFor[T]().Kind() == reflect.Complex64 {
		return size / 2
	}
	return size
}

// view returns the memory of v as bytes, in the machine's order. The bool is false in
// numbers_memory_purego.go, which has no such view.
//
// Sound: the types of Number have neither pointers nor padding, all bit patterns are
// valid for them, and bytes need no alignment. The result keeps v's memory alive and
// covers exactly its elements.
func view[T Number](v []T) ([]byte, bool) {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*sizeOf[T]()), true
}

// storeSlice writes v to dst, which is exactly as long.
func storeSlice[O Order, T Number](dst []byte, v []T) {
	if b, _ := view(v); isNative[O]() {
		copy(dst, b)
	} else {
		swap.Copy(dst, b, unitOf[T]())
	}
}

// loadSlice sets v from src, which is exactly as long.
func loadSlice[O Order, T Number](v []T, src []byte) {
	if b, _ := view(v); isNative[O]() {
		copy(b, src)
	} else {
		swap.Copy(b, src, unitOf[T]())
	}
}
