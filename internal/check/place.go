package check

import "github.com/octet-go/octet/internal/rt"

// Mode sample recognises its slices by where they begin when they are released. So all
// others keep the fast path; and a sampled slice has the length and the capacity of any
// other, whatever the program makes of these: what it cuts, and what append returns, is
// what it would be in every mode.
//
// This needs no knowledge of the pool. The capacity of a class is a power of two or a
// multiple of 64, and the runtime puts memory of so many bytes where the address is a
// multiple of 64, or of the capacity if that is less. A sampled slice begins elsewhere: it
// is displaced. So may be what a program has cut from an array of its own, and all memory
// in builds with the address sanitizer. Only their release is slower.
const unit = 64

// minBlock is the smallest allocation that has memory of its own. The runtime puts
// several smaller ones into one block, and collects them together.
const minBlock = 16

// Displaced returns 0 if b, with the capacity of a class, begins where slices do that are
// not sampled.
func Displaced(b []byte) int { return int(rt.Address(b)%unit) & (cap(b) - 1) }

// displacement returns how far behind such an address a sampled slice of n bytes, the
// capacity of a class, begins. It is aligned for the widest number.
func displacement(n int) int { return min(n/2, 16) }

// displaced returns a new slice of n bytes, the capacity of a class, that begins where a
// sampled one does. It may hold old bytes.
func displaced(n int) []byte {
	// An address in any width bytes has the displacement once, so that as many more bytes
	// are enough. The block is at least minBlock, or others would share its fate.
	width := min(n, unit)
	b := rt.DirtyBytes(max(n+width, minBlock))
	skip := (displacement(n) - int(rt.Address(b)%unit)) & (width - 1)
	return b[skip : skip+n : skip+n]
}

// gap returns how many bytes must follow a sampled slice of n bytes whose memory ends with
// a page.
func gap(n int) int { return min(n, unit) - displacement(n) }

// Sees reports whether b, of the capacity of a class, may be tracked, so that its release
// must not be missed.
func Sees(b []byte) bool {
	m := Current()
	return m >= Full || m == Sample && Displaced(b) != 0
}
