package buffer

import (
	"errors"
	"io"
	"math"

	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/earlier"
)

func init() { check.RegisterPackage() }

var (
	ErrTooLarge   = buffer.ErrTooLarge // content would exceed 2 GiB - 1
	ErrClose      = errors.New("buffer: Close: the Buffer was released")
	ErrTruncation = errors.New("buffer: Truncate: the length is negative or beyond the content")
	ErrGrow       = errors.New("buffer: Grow or Guarantee: negative count")
)

// maxSize is the largest content.
const maxSize = math.MaxInt32

// usualSize is DefaultBufferSize unless the program changes it.
const usualSize = 64

// DefaultBufferSize is the capacity that [Get] asks for if its caller does not.
// Set it before goroutines use the package.
var DefaultBufferSize = usualSize

// A Buffer is a [buffer.Buffer] with the methods of the earlier package. The zero value is
// an empty buffer ready to use. A Buffer must not be copied.
type Buffer buffer.Buffer

// octet returns b as octet's Buffer.
func (b *Buffer) octet() *buffer.Buffer { return (*buffer.Buffer)(b) }

// Get returns an empty Buffer with room for at least capacity bytes, as [buffer.Make] does.
// Without a capacity it has room for at least DefaultBufferSize bytes; unless the program
// has changed that, the size follows recent use, as that of [buffer.Get] does.
func Get(capacity ...int) *Buffer {
	switch {
	case len(capacity) > 0:
		return Make(capacity[0])
	case DefaultBufferSize == usualSize:
		return (*Buffer)(active.Load().buffers.Get())
	}
	return Make(DefaultBufferSize)
}

// New returns a Buffer whose content is size bytes, which may be old bytes.
func New(size int) *Buffer {
	b := Make(size)
	b.B = b.B[:max(size, 0)]
	return b
}

// Make is [buffer.Make].
func Make(capacity int) *Buffer { return (*Buffer)(active.Load().buffers.Make(capacity)) }

// Make64 is [Make]. It panics with [ErrTooLarge] if capacity is above 2 GiB - 1.
func Make64(capacity uint64) *Buffer {
	if capacity > maxSize {
		panic(ErrTooLarge)
	}
	return Make(int(capacity))
}

// MakeMin returns a Buffer with room for MinSize bytes.
func MakeMin() *Buffer { return Make(MinSize()) }

// MakeMax returns a Buffer with room for MaxSize bytes.
func MakeMax() *Buffer { return Make(MaxSize()) }

// NewBuffer is [buffer.NewBuffer].
func NewBuffer(buf []byte) *Buffer { return (*Buffer)(active.Load().buffers.NewBuffer(buf)) }

// NewBytes returns a Buffer with a copy of bs.
func NewBytes(bs []byte) *Buffer {
	b := Make(len(bs))
	b.B = append(b.B, bs...)
	return b
}

// NewString returns a Buffer with a copy of s.
func NewString(s string) *Buffer {
	b := Make(len(s))
	b.B = append(b.B, s...)
	return b
}

// Clone is the method Clone of b.
func Clone(b *Buffer) *Buffer { return b.Clone() }

// Release is the method Release of b.
func Release(b *Buffer) bool { return b.Release() }

// Put is the method Put of b.
func Put(b *Buffer) { b.Put() }

// Clone returns another Buffer with a copy of the content.
func (b *Buffer) Clone() *Buffer { return NewBytes(b.Bytes()) }

// Put is Release without a result.
func (b *Buffer) Put() { b.octet().Release() }

// Release is [buffer.Buffer.Release]. The result is true if this was the last reference and
// the pool kept the array. It is false if others still have references, if the Buffer is nil
// or in the pool already, or if the pool did not keep the array: there is none, it is smaller
// or larger than the classes of the pool, or too much memory is idle.
func (b *Buffer) Release() bool { return earlier.Release(b.octet()) }

// Close does nothing, for code that closes what it writes to: the content stays, and the
// Buffer must still be released. It returns [ErrClose] if the Buffer was released.
func (b *Buffer) Close() error {
	if b == nil || b.count().Idle() {
		return ErrClose
	}
	return nil
}

// Bytes returns the content. It is B's memory, valid until the next call that writes or
// releases.
func (b *Buffer) Bytes() []byte { return b.octet().Bytes() }

// String returns a copy of the content as a string, or "" if b is nil.
func (b *Buffer) String() string { return b.octet().String() }

// Len returns the length of the content.
func (b *Buffer) Len() int { return b.octet().Len() }

// Cap returns the capacity of the array: cap(b.B).
func (b *Buffer) Cap() int { return cap(b.B) }

// Copy returns a copy of the content, in a slice of the pool. It belongs to the caller, who
// may release it, for example with bytespool.Release.
func (b *Buffer) Copy() []byte { return active.Load().pools.NewBytes(b.Bytes()) }

// CopyTo copies the content to p, as far as p has room, and returns how many bytes that is.
func (b *Buffer) CopyTo(p []byte) int { return copy(p, b.Bytes()) }

// WriteTo writes the content to w in one call, and keeps it, as [buffer.Buffer.WriteTo] does.
func (b *Buffer) WriteTo(w io.Writer) (int64, error) { return b.octet().WriteTo(w) }

// Reset empties the buffer and keeps the array.
func (b *Buffer) Reset() { b.octet().Reset() }

// Truncate drops all but the first n bytes. It panics with [ErrTruncation] if n is negative
// or larger than Len.
func (b *Buffer) Truncate(n int) {
	if uint(n) > uint(b.Len()) {
		panic(ErrTruncation)
	}
	b.octet().Truncate(n)
}
