//go:build !octet_purego

package bytebuf

// How String gives an array away
//
// A string may share a buffer's array, because appending never changes the bytes
// that it shows. What would change them moves the contents to another array
// first. A word beside the array, its mark, says which of these it is:
//
//   - unlent: no string shows any of it, nor has a caller a slice of it. String
//     may lend it, and Bytes may let it out.
//   - lent, a positive number n: strings show some of its first n bytes, which
//     never change again. Bytes from n on may be written, and String may raise n.
//     Who needs to write below n, or to let the array out, moves.
//   - out: callers may write through slices of it. It never goes to a string:
//     String copies.
//   - held: a Reader has it, while ReadFrom waits for it. As out, but it ends.
//
// The mark belongs to the array and not to the Buffer, because copies of a Buffer
// share arrays: after save := b; s := b.String(); b = save, a Reset and a write
// must leave s alone. It is atomic, and changes only by compare-and-swap where
// others may look, because String and Bytes may be called by several goroutines.
// It lies behind the array, in the same allocation, or with New's first array.
// In that place it may stand for several arrays: what binds one binds all, which
// is never wrong.
//
// Bytes finds an array lent that it has to let out, but may not change the
// Buffer, since others may be looking at it. So it copies the array and leaves
// the copy in loan.moved, where the first one wins; everybody who only looks
// takes the contents from there, and the next call that changes the Buffer makes
// the copy its array (settle). Before that the old array's mark becomes whole, so
// that writing has no other case to watch for than a lent array: whoever sees
// moved, in the Buffer or in a copy of it, finds an array that cannot be written.
//
// Escape analysis does not see a string that String lends, nor moved, so that
// the Buffer and New's first array may stay on the stack. That is sound because
// both point to the heap: move made the array. All other slices flow to
// callers, Readers and Writers in full view.

import (
	"math"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/octet-go/octet/internal/rt"
)

// A loan is the part of a Buffer that knows about strings.
type loan struct {
	mark  *mark          // of the array; nil only if there is no array
	moved unsafe.Pointer // nil, or an array of cap(buf) bytes that has the contents instead
}

// A mark says who else has an array: it is one of the constants, or the number of
// bytes from its beginning that strings may show.
type mark uintptr

const (
	out    = -2
	held   = -1
	unlent = 0
	whole  = math.MaxInt // lent, with all that will ever be written
)

func (m *mark) load() int { return int(atomic.LoadUintptr((*uintptr)(m))) }

func (m *mark) swap(from, to int) bool {
	return atomic.CompareAndSwapUintptr((*uintptr)(m), uintptr(from), uintptr(to))
}

// Arrays that never go to strings have one of these marks, which are never
// written: outside for arrays from outside, kept for those of a Buffer that uses
// one array again and again.
var outside, kept = newMark(out), newMark(out)

func newMark(n int) mark { return mark(n) } // out is no uintptr as a constant

func noLoan() loan { return loan{mark: &outside} }

func (b *Buffer) keep() { b.mark = &kept }

// start is what New puts on the stack: the first array, and a mark that is not
// needed for it, but for the arrays that follow until one of them is lent. Their
// sizes are then exactly what was asked for.
type start struct {
	mark  mark
	array [startSize]byte
}

func (s *start) loan() loan { return loan{mark: &s.mark} }

const word = int(unsafe.Sizeof(mark(0)))

// maxArray is more than any machine has; dirty.Make panics with other words above.
const maxArray = math.MaxInt&(1<<46-1) - 2*word

// move puts the unread bytes at the beginning of a new array of n bytes or a few
// more, larger than startSize. The array's other bytes are arbitrary.
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

// trailer returns the mark behind an array that was made with room for one. The
// array's capacity is a multiple of a word, so that the mark is aligned.
func trailer(array []byte) *mark {
	return (*mark)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(array)), cap(array)))
}

// trailed says whether b's mark lies behind b's array.
func (b *Buffer) trailed() bool {
	return uintptr(unsafe.Pointer(b.mark)) == uintptr(unsafe.Pointer(unsafe.SliceData(b.buf)))+uintptr(cap(b.buf))
}

// shown returns how many bytes from the beginning of the array must not be
// written; none if not positive. There must be an array.
func (b *Buffer) shown() int { return int(atomic.LoadUintptr((*uintptr)(b.mark))) }

// String returns the unread portion of the buffer as a string, "<nil>" for a nil
// *Buffer. If the buffer allocated its array itself, and the string is half of it
// or more, they share it and nothing is copied; see the package comment for when
// that is. Strings of up to 64 bytes that stay in the calling function do not
// allocate while the buffer is no larger than that.
func (b *Buffer) String() string {
	// All of this is inlined, so that the caller's use of the string decides
	// whether the small ones need the heap.
	if b != nil && atomic.LoadUintptr((*uintptr)(unsafe.Pointer(&b.moved))) == 0 {
		p := b.buf[b.off:]
		if len(p) <= 32 { // the compiler has a stack buffer of this size
			return string(p)
		}
		if cap(p) <= startSize { // on the heap, the next class but one at most
			q := new([startSize]byte)[:len(p)]
			copy(q, p)
			return *(*string)(unsafe.Pointer(&q)) // nobody else has q
		}
	}
	return cold(b, (*Buffer).text)
}

// text is String for all but the smallest buffers.
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

// exposed returns b.buf, or what has taken its place, for callers that may write
// through it.
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

// copyOut copies the lent array to one that is out, unless somebody else does so
// before.
func (b *Buffer) copyOut() {
	p := rt.DirtyBytes(cap(b.buf) + word)[:cap(b.buf):cap(b.buf)]
	copy(p, b.buf)
	*trailer(p) = outside
	atomic.StoreUintptr((*uintptr)(b.mark), whole)
	atomic.CompareAndSwapPointer(b.movedAt(), nil, unsafe.Pointer(unsafe.SliceData(p)))
}

// movedAt returns &b.moved for functions of package atomic, which keep it no
// longer than the call, but do not tell the compiler.
func (b *Buffer) movedAt() *unsafe.Pointer {
	return (*unsafe.Pointer)(hide(unsafe.Pointer(&b.moved)))
}

// movedTo returns what has taken the place of b.buf, nil if nothing has.
func (b *Buffer) movedTo() []byte {
	p := (*byte)(atomic.LoadPointer(b.movedAt()))
	if p == nil {
		return nil
	}
	return unsafe.Slice(p, cap(b.buf))[:len(b.buf)]
}

// settle makes what has taken the place of b.buf b.buf. All methods that change
// the Buffer and look at the contents, or write, do this first.
func (b *Buffer) settle() {
	if b.moved != nil {
		b.follow()
	}
}

func (b *Buffer) follow() {
	p := b.movedTo()
	b.buf, b.loan = p, loan{mark: trailer(p)}
}

// hold keeps strings from sharing b's array until the mark that it returns is
// released. If somebody else holds it or it is lent, that is for good.
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

// readOnly returns the bytes of s, for those who do not write to them.
func readOnly(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// hide returns p without the compiler knowing. What p points to must be kept
// alive by other means.
//
// While x alone has the address, no function may be called: the stack may move
// there, and x would still point to where it was. The checks of -race and
// -d=checkptr would be such calls.
//
//go:nocheckptr
func hide(p unsafe.Pointer) unsafe.Pointer {
	x := uintptr(p)
	return *(*unsafe.Pointer)(unsafe.Pointer(&x))
}
