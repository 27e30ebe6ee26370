package bytebuf

import (
	"bytes"
	"io"
)

// A Buffer is a variable-sized buffer of bytes. It has the methods of
// [bytes.Buffer], and they do the same. The zero value is an empty buffer ready
// to use; [New] returns one that starts on the caller's stack.
//
// A Buffer is for one goroutine at a time. As with bytes.Buffer, the methods
// that only look (String, Bytes, Peek, AvailableBuffer, Len, Cap and Available)
// may be called by several at once; the struct must not be copied meanwhile.
//
// A copy of a Buffer shares its array until one of the two needs another, as copies
// of a bytes.Buffer do. There is one more reason to need another here: after String,
// Bytes and the other methods that return slices give the Buffer on which they are
// called an array of its own, and changes through the slice do not show in copies
// that were made before. Strings taken from either never change.
type Buffer struct {
	buf      []byte // contents are the bytes buf[off:len(buf)]
	off      int    // read at &buf[off], write at &buf[len(buf)]
	loan            // what ties buf's array to strings, see lend.go
	lastRead readOp // what the last call read, for UnreadByte and UnreadRune
}

// startSize is the size of the array that New puts on the stack. The arrays that
// a Buffer allocates are larger.
const startSize = 64

// ErrTooLarge is passed to panic if memory cannot be allocated to store data in
// a buffer. It is [bytes.ErrTooLarge].
var ErrTooLarge = bytes.ErrTooLarge

// New returns an empty buffer whose first 64 bytes lie in the caller's stack
// frame, as long as the compiler sees that they stay there. They do where a
// local variable is only written to, read by copying, and turned into strings.
// WriteTo, ReadFrom, a conversion of its address to an interface, and slices
// from Bytes, Next or Peek that leave the function put them on the heap.
func New() Buffer {
	var s start
	return Buffer{buf: s.array[:0], loan: s.loan()}
}

// NewPointer is New for those who need a pointer.
func NewPointer() *Buffer {
	var s start
	return &Buffer{buf: s.array[:0], loan: s.loan()}
}

// NewBuffer returns a buffer whose contents are buf, for reading, or with a slice
// of length zero, for writing to memory that is there already. The buffer takes
// the array over. Strings never share it.
func NewBuffer(buf []byte) *Buffer { return &Buffer{buf: buf, loan: noLoan()} }

// NewBufferString returns a buffer whose contents are a copy of s.
func NewBufferString(s string) *Buffer { return NewBuffer([]byte(s)) }

// NewReader returns a reader of the unread portion of b, which it does not
// consume. The reader shows what b holds now and stays valid whatever happens to
// b later. It costs a String and one small allocation.
//
// It is meant for [net/http.NewRequest], which learns the length of a body from
// three concrete types only, *bytes.Reader among them. A *Buffer it would send
// in chunks, without Content-Length, and could not send again after a redirect.
func NewReader(b *Buffer) *bytes.Reader { return bytes.NewReader(readOnly(b.String()[:b.Len()])) }

// Bytes returns the unread portion of the buffer. The slice aliases the contents
// until the next call that modifies the buffer; until then, a change to the one
// is a change to the other. After Bytes, String copies until the buffer gets
// another array.
func (b *Buffer) Bytes() []byte { return b.exposed()[b.off:] }

// AvailableBuffer returns an empty slice with capacity b.Available(), to append
// to and to pass to the Write that follows, which then has nothing to copy. It
// is valid until the next call that modifies the buffer. It keeps String from
// sharing memory as Bytes does.
func (b *Buffer) AvailableBuffer() []byte { return b.exposed()[len(b.buf):] }

// Peek returns the next n bytes without consuming them. If there are fewer, it
// returns those and [io.EOF]. The slice is like that of Bytes.
func (b *Buffer) Peek(n int) ([]byte, error) {
	p := b.exposed()[b.off:]
	if len(p) < n {
		return p, io.EOF
	}
	return p[:n], nil
}

// Len returns the number of unread bytes.
func (b *Buffer) Len() int { return len(b.buf) - b.off }

// Cap returns the capacity of the buffer's array.
func (b *Buffer) Cap() int { return cap(b.buf) }

// Available returns how many bytes of the buffer's array are unused. Writing
// them allocates nevertheless if a string shows them, as after String and Reset.
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
		panic("bytes.Buffer: truncation out of range")
	}
	b.buf = b.buf[:b.off+n]
}

// Reset empties the buffer. The array is kept for later writes; if it went to a
// string, the next write replaces it by one of the size that was needed.
func (b *Buffer) Reset() {
	b.buf = b.buf[:0]
	b.off = 0
	b.lastRead = opInvalid
}
