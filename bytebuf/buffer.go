package bytebuf

import (
	"bytes"
	"io"
)

// A Buffer is a variable-sized buffer of bytes. It has the methods of [bytes.Buffer],
// and they do the same. The zero value is an empty buffer ready to use. [New] returns
// one that starts on the caller's stack.
//
// A Buffer must not be used by several goroutines at once, except that, as with
// bytes.Buffer, several may call the methods that only look: String, Bytes, Peek,
// AvailableBuffer, Len, Cap and Available. The struct must not be copied meanwhile.
//
// To compare the contents of two Buffers, compare what Bytes returns: reflect.DeepEqual
// also sees who shares their arrays.
//
// A copy of a Buffer shares its array until one of the two needs another, as copies of
// a bytes.Buffer do. Here there is one more reason to need another: after String, the
// methods that return slices give the Buffer an array of its own, so changes through
// the slice do not show in copies made before. Strings taken from either never change.
type Buffer struct {
	buf      []byte // the contents are buf[off:]
	off      int    // read at &buf[off], write at &buf[len(buf)]
	loan            // who else uses buf's array; see lend.go
	lastRead readOp // what the last call read, for UnreadByte and UnreadRune
}

// startSize is the size of the array that New puts on the stack. Arrays that a Buffer
// allocates are larger.
const startSize = 64

// ErrTooLarge is the panic value if memory for the contents cannot be allocated. It is
// [bytes.ErrTooLarge].
var ErrTooLarge = bytes.ErrTooLarge

// New returns an empty buffer whose first 64 bytes are in the caller's stack frame, if
// the compiler can prove that they stay there. It can for a local variable that is
// only written to, read by copying, and converted to strings. It cannot if the
// function calls WriteTo or ReadFrom, converts the buffer's address to an interface,
// or returns a slice from Bytes, Next or Peek; then they are on the heap.
func New() Buffer {
	var s start
	return Buffer{buf: s.array[:0], loan: s.loan()}
}

// NewPointer is like [New] but returns a pointer.
func NewPointer() *Buffer {
	var s start
	return &Buffer{buf: s.array[:0], loan: s.loan()}
}

// NewBuffer returns a buffer whose contents are buf. Use it to read buf, or with a slice
// of length zero to write to its array. The buffer owns the array from then on; the
// caller must not use buf. Strings never share this array.
func NewBuffer(buf []byte) *Buffer { return &Buffer{buf: buf, loan: noLoan()} }

// NewBufferString returns a buffer whose contents are a copy of s.
func NewBufferString(s string) *Buffer { return NewBuffer([]byte(s)) }

// NewReader returns a Reader of the unread bytes of b, without consuming them. The
// Reader stays valid, and unchanged, whatever happens to b. NewReader costs as much as
// String and a small allocation.
//
// It is meant for [net/http.NewRequest], which can find out the length of a body only
// for a *bytes.Buffer, *bytes.Reader or *strings.Reader. It would send a *Buffer in
// chunks, without Content-Length, and could not send it again after a redirect.
func NewReader(b *Buffer) *bytes.Reader { return bytes.NewReader(readOnly(b.String()[:b.Len()])) }

// Bytes returns the unread bytes. The slice aliases the contents, so changes to one are
// changes to the other, until the next call that modifies the buffer. After Bytes,
// String copies until the buffer needs another array.
func (b *Buffer) Bytes() []byte { return b.exposed()[b.off:] }

// AvailableBuffer returns an empty slice with capacity b.Available(). Append to it and
// pass it to the next Write, which then need not copy. It is valid until the next call
// that modifies the buffer. As after Bytes, String copies.
func (b *Buffer) AvailableBuffer() []byte { return b.exposed()[len(b.buf):] }

// Peek returns the next n bytes without consuming them. If there are fewer, it returns
// those and [io.EOF]. The slice aliases the contents, as that of [Buffer.Bytes] does. It
// panics if n is negative.
func (b *Buffer) Peek(n int) ([]byte, error) {
	p := b.exposed()[b.off:]
	if n < 0 {
		panic("bytebuf: Peek: negative count")
	}
	if len(p) < n {
		return p, io.EOF
	}
	return p[:n], nil
}

// Len returns the number of unread bytes.
func (b *Buffer) Len() int { return len(b.buf) - b.off }

// Cap returns the capacity of the buffer's array.
func (b *Buffer) Cap() int { return cap(b.buf) }

// Available returns the number of unused bytes in the buffer's array. Writing that many
// may allocate nevertheless, if a string shows them, as after String and Reset.
func (b *Buffer) Available() int { return cap(b.buf) - len(b.buf) }

// Truncate discards all but the first n unread bytes. It panics if n is negative
// or greater than the length of the buffer.
func (b *Buffer) Truncate(n int) {
	if n == 0 {
		b.Reset()
		return
	}
	b.lastRead = opInvalid
	if n < 0 || n > b.Len() {
		panic("bytebuf: Truncate: length is negative or beyond the content")
	}
	b.buf = b.buf[:b.off+n]
}

// Reset empties the buffer. It keeps the array for later writes. If a string shares the
// array, the next write allocates another, as large as the old contents.
func (b *Buffer) Reset() {
	b.buf = b.buf[:0]
	b.off = 0
	b.lastRead = opInvalid
}
