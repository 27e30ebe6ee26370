//go:build !octet_purego

package rt

import "unsafe"

// Stripe returns a number that tends to be the same for calls from one
// goroutine and to differ between goroutines. Its high bits are the best mixed.
//
// It is a hash of the address of the goroutine's stack. Stacks begin at
// multiples of their size, at least 2 KiB, so the bits below tell only how deep
// the call is. A deep stack has several numbers; a stack that moved has another.
//
// Sound: the address is never turned back into a pointer. Without nocheckptr an
// ASan build would put the variable on the heap.
//
//go:nocheckptr
func Stripe() uint {
	var here byte
	const golden = 0x9E3779B9 // 2^32 divided by the golden ratio (Knuth, TAOCP 6.4)
	return uint(uint32(uintptr(unsafe.Pointer(&here))>>11) * golden)
}
