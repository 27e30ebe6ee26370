//go:build !(go1.26 && !go1.28 && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x) && !ios) && !octet_purego

package rt

import (
	"math"
	"strings"
	"unsafe"
)

// maxAlloc leaves room for the rounding up that Builder.Grow does. If the machine has
// less memory, Grow panics, or the runtime ends the program, exactly as with make.
const maxAlloc = math.MaxInt / 2

// alloc returns n bytes, 0 < n <= maxAlloc.
//
// Sound: Grow(n) provides an array of at least n bytes, and after one written
// byte StringData points at its beginning. The builder is dropped here, so that
// nothing else refers to the array; the only string that shows its first byte never
// leaves this function. Grow rounds up to the allocator's class, and the slice is
// clipped to the n bytes asked for.
func alloc(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
