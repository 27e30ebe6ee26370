//go:build !octet_purego

package bytebuf

// How a string shares an array
//
// A string may share a buffer's array, because appending does not change the bytes that
// the string shows. Before anything would change them, the contents move to another
// array. A word, the mark of the array, says who else uses it:
//
//   - unlent: no string shows any of it, and no caller has a slice of it. String may
//     lend it, and Bytes may let it out.
//   - lent, a positive number n: strings show some of its first n bytes, which never
//     change again. Bytes from n on may be written, and String may raise n. To write
//     below n, or to let the array out, the contents must move.
//   - out: callers may write through slices of it. It is never shared with a string:
//     String copies.
//   - held: ReadFrom has passed it to a Reader that has not returned yet. It is like out
//     until then.
//
// The mark belongs to the array, not to the Buffer, because copies of a Buffer share an
// array: after save := b; s := b.String(); b = save, a Reset and a write must not change
// s. The mark is atomic, and is changed by compare-and-swap wherever others may look,
// because several goroutines may call String and Bytes at once. It is in the same
// allocation as the array, behind it, or beside New's array. Beside New's array it may
// be the mark of several arrays in turn. What it says of one then restricts all, which
// is safe.
//
// If Bytes finds a lent array, which it must not let out, it cannot give the Buffer
// another one, because others may be looking at the Buffer. It copies the array and
// publishes the copy in loan.moved, where the first copy wins. Those who only look take
// the contents from there, and the next call that modifies the Buffer makes the copy its
// array (see settle). Before that, the mark of the old array becomes whole, so whoever
// sees moved, in the Buffer or in a copy of it, finds an array that cannot be written.
// To those who write, this is a lent array like any other.
//
// Escape analysis does not see that String returns the array, nor what moved points to,
// so that the Buffer and New's array may stay on the stack. Sound: both point to the
// heap, because move or copyOut allocated the array. All other slices that reach
// callers, Readers and Writers are visible to escape analysis.

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/octet-go/octet/internal/rt"
)

// A loan is the part of a Buffer that says who else uses its array.
type loan struct {
	mark  *mark          // of the array; nil only if there is no array
	moved unsafe.Pointer // nil, or an array of cap(buf) bytes that has the contents now
}

// A mark says who else uses an array. It is one of the constants, or the number of bytes
// at its beginning that strings may show.
type mark uintptr

const (
	out    = -2
	held   = -1
	unlent = 0
	whole  = math.MaxInt // lent as a whole
)

func (m *mark) load() int { return int(atomic.LoadUintptr((*uintptr)(m))) }

func (m *mark) swap(from, to int) bool {
	return atomic.CompareAndSwapUintptr((*uintptr)(m), uintptr(from), uintptr(to))
}

// The marks of arrays that are never shared with strings: outside for arrays that the
// Buffer did not allocate, kept for those of a Buffer that is reused. They never change.
var outside, kept = newMark(out), newMark(out)

func newMark(n int) mark { return mark(n) } // a constant out cannot be converted

func noLoan() loan { return loan{mark: &outside} }

func (b *Buffer) keep() { b.mark = &kept }

// start is what New puts on the stack: the first array, which needs no mark, and a mark
// for the arrays that follow, until one of them is lent. So these arrays need no room
// for a mark.
type start struct {
	mark  mark
	array [startSize]byte
}

func (s *start) loan() loan { return loan{mark: &s.mark} }

const word = int(unsafe.Sizeof(mark(0)))

// maxArray is more than any machine has. Above it rt.DirtyBytes panics with another
// message than ErrTooLarge.
const maxArray = math.MaxInt&(1<<46-1) - 2*word

// move moves the unread bytes to the beginning of a new array of n bytes or a few more,
// at least startSize+1. The other bytes of the array are arbitrary.
func (b *Buffer) move(n int) {
	if n > maxArray {
		panic(ErrTooLarge)
	}
	n = (max(n, startSize+1) + word - 1) &^ (word - 1)
	var array []byte
	if b.mark == &kept || b.mark != nil && b.mark.load() == unlent && !b.trailed() {
		array = rt.DirtyBytes(n)
	} else {
		array = rt.DirtyBytes(n + word)[:n:n]
		b.mark = trailer(array)
		*b.mark = unlent
	}
	if b.Len() > 0 {
		copy(array, b.buf[b.off:])
	}
	b.buf = array
}

// trailer returns the mark behind an array that was allocated with room for one.
//
// Sound: the allocation has a word behind cap(array), which is a multiple of a word, so
// the mark is aligned. It has no pointers, like the array.
func trailer(array []byte) *mark {
	return (*mark)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(array)), cap(array)))
}

// trailed reports whether b's mark is behind b's array.
func (b *Buffer) trailed() bool {
	return uintptr(unsafe.Pointer(b.mark)) == uintptr(unsafe.Pointer(unsafe.SliceData(b.buf)))+uintptr(cap(b.buf))
}

// shown returns how many bytes at the beginning of the array must not be written. If the
// result is not positive, all may be written. There must be an array.
func (b *Buffer) shown() int { return int(atomic.LoadUintptr((*uintptr)(b.mark))) }

// String returns the unread bytes as a string. For a nil *Buffer it returns "<nil>". If
// the buffer allocated its array, and the string is at least half as long, the string
// shares the array and nothing is copied; the package comment has the exceptions. While
// the buffer's capacity is at most 64 bytes, a string that does not leave the calling
// function does not allocate.
func (b *Buffer) String() string {
	// This is inlined, so that a short string needs the heap only if the caller's
	// use of it does.
	if b != nil && atomic.LoadUintptr((*uintptr)(unsafe.Pointer(&b.moved))) == 0 {
		p := b.buf[b.off:]
		if len(p) <= 32 { // the compiler converts these in a buffer on the stack
			return string(p)
		}
		if cap(p) <= startSize { // 64 bytes on the heap are not much more than len(p)
			q := new([startSize]byte)[:len(p)]
			copy(q, p)
			return *(*string)(unsafe.Pointer(&q)) // Sound: nobody else has the array of q
		}
	}
	return cold(b, (*Buffer).text)
}

// text is String for larger buffers.
func (b *Buffer) text() string {
	if b == nil {
		return "<nil>"
	}
	if p := b.movedTo(); p != nil {
		return string(p[b.off:])
	}
	// The array is larger than startSize here, and so not New's.
	if n := b.Len(); n >= cap(b.buf)-n {
		for s := b.shown(); s >= unlent; s = b.shown() {
			if s >= len(b.buf) || b.mark.swap(s, len(b.buf)) {
				data := (*byte)(hide(unsafe.Pointer(&b.buf[b.off])))
				runtime.KeepAlive(b)
				return unsafe.String(data, n)
			}
		}
	}
	return string(b.buf[b.off:])
}

// exposed returns b's array, or the one that has taken its place, for callers that may
// write to it. No string shares it, now or later.
func (b *Buffer) exposed() []byte {
	if cap(b.buf) <= startSize || b.shown() == out {
		return b.buf
	}
	return cold(b, (*Buffer).expose)
}

func (b *Buffer) expose() []byte {
	for {
		if p := b.movedTo(); p != nil {
			return p
		}
		if s := b.shown(); s > unlent {
			b.copyOut()
		} else if s == out || b.mark.swap(s, out) {
			return b.buf
		}
	}
}

// copyOut moves the contents of a lent array to one that is out, unless another
// goroutine does so first.
func (b *Buffer) copyOut() {
	p := rt.DirtyBytes(cap(b.buf) + word)[:cap(b.buf):cap(b.buf)]
	copy(p, b.buf)
	*trailer(p) = outside
	atomic.StoreUintptr((*uintptr)(b.mark), whole)
	atomic.CompareAndSwapPointer(b.movedAt(), nil, unsafe.Pointer(unsafe.SliceData(p)))
}

// movedAt returns &b.moved for functions of package atomic. They do not retain it, but
// escape analysis does not know that.
func (b *Buffer) movedAt() *unsafe.Pointer {
	return (*unsafe.Pointer)(hide(unsafe.Pointer(&b.moved)))
}

// movedTo returns the contents that b.moved points to, with b.off bytes in front, or nil
// if they have not moved.
func (b *Buffer) movedTo() []byte {
	p := (*byte)(atomic.LoadPointer(b.movedAt()))
	if p == nil {
		return nil
	}
	return unsafe.Slice(p, cap(b.buf))[:len(b.buf)]
}

// settle makes the array that b.moved points to b's array. All methods that modify the
// Buffer and use its contents call it first.
func (b *Buffer) settle() {
	if b.moved != nil {
		b.follow()
	}
}

func (b *Buffer) follow() {
	p := b.movedTo()
	b.buf, b.loan = p, loan{mark: trailer(p)}
}

// hold keeps strings from sharing b's array until the returned mark is released. If the
// array is held or lent already, hold lets it out for good and returns nil.
func (b *Buffer) hold() *mark {
	if b.mark.swap(unlent, held) {
		return b.mark
	}
	b.exposed()
	b.settle()
	return nil
}

func (m *mark) release() {
	if m != nil {
		m.swap(held, unlent)
	}
}

// readOnly returns the bytes of s, which must not be modified.
func readOnly(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// hide returns p and hides from escape analysis where it comes from. The caller must
// keep what p points to alive.
//
// Between the two conversions no function may be called. The stack might move, and x
// would have the old address. The checks of -race and -d=checkptr would be such calls.
//
//go:nocheckptr
func hide(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}
