package buffer

import (
	"math/bits"
	"testing"
	"unsafe"

	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/testenv"
)

// The speed of this package rests on small methods being inlined. Some are just below
// the compiler's limit.
func TestInlining(t *testing.T) {
	if bits.UintSize == 32 {
		return // 64-bit atomics are calls there, which are too expensive
	}
	testenv.Compile(t, "-m").WantInlined(t,
		"(*Buffer).begin", "(*Buffer).Release", "(*Buffer).RefInc",
		"(*refCount).acquire", "(*refCount).last", "(*refCount).end",
		"(*Buffer).Write", "(*Buffer).WriteByte", "(*Buffer).WriteString",
		"(*Buffer).Available", "(*Buffer).AvailableBuffer", "(*Buffer).Bytes", "(*Buffer).Cap", "(*Buffer).Len",
		"(*Buffer).String", "(*Buffer).Reset", "(*Buffer).Peek", "(*Buffer).ReadByte",
	)
}

// Get and Release call nothing except pin, unpin and the slow paths, and what lends a Buffer.
func TestFastPathsCallNothing(t *testing.T) {
	if !rt.Pinned {
		t.Skip("the fast paths need pinning")
	}
	testenv.WantCallsOnly(t, `/buffer\.(\(\*source\)\.get(Any)?|\(\*Buffer\)\.release)$`, 3,
		testenv.Pinning+`|.*/buffer\.(\(\*source\)\.(classOf|get|getSlow|keep)|\(\*Buffer\)\.releaseSlow)|.*/engine\.\(\*Pool\)\.(takeHere|Look)`)
}

func TestLayout(t *testing.T) {
	if n := unsafe.Sizeof(Buffer{}); unsafe.Sizeof(uintptr(0)) == 8 && n != 64 {
		t.Errorf("a Buffer takes %d bytes, want a cache line", n)
	}
}
