package buffer

import (
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// DefaultBufferSize is the capacity that [Get] asks for if its caller does not.
// Set it before goroutines use the package.
var DefaultBufferSize = 64

// Get returns an empty Buffer with room for at least capacity bytes, or for
// DefaultBufferSize if no capacity is given; it belongs to the caller until
// Release. Without a capacity, the array may be larger: as large as the Buffers
// released lately had use for, if the pool has such a one idle.
//
// Get panics with [ErrTooLarge] if capacity is above 2 GiB - 1; one below 0
// counts as 0.
func Get(capacity ...int) *Buffer {
	if len(capacity) > 0 {
		return Make(capacity[0])
	}
	from := current()
	if rt.Pinned {
		if pid := uintptr(rt.Pin()); pid < uintptr(len(from.seats)) {
			if s := &from.seats[pid]; DefaultBufferSize == s.asked {
				if b := s.own.Load(); s.idle(b, s.class) && s.enough(b) {
					s.claim(b, s.class)
					s.run, s.busy = 0, 0
					rt.Unpin()
					b.reset()
					return b
				}
				if s.lent() && s.busy < maxBusy {
					s.busy++
					if b := from.shelf.objects.TakePinned(pid, s.class); b != nil {
						rt.Unpin()
						b.begin()
						return b
					}
				}
			}
		}
		rt.Unpin()
	}
	return from.shelf.getUsual(DefaultBufferSize)
}

// Make is Get with a capacity: it returns an empty Buffer with room for at least
// capacity bytes.
func Make(capacity int) *Buffer {
	from := current()
	if rt.Pinned {
		if pid := uintptr(rt.Pin()); pid < uintptr(len(from.seats)) {
			s := &from.seats[pid]
			k := from.shelf.objects.Pool().Class(capacity)
			if b := s.own.Load(); s.idle(b, k) {
				s.claim(b, k)
				rt.Unpin()
				b.reset()
				return b
			}
		}
		rt.Unpin()
	}
	return from.shelf.get(checkSize(capacity))
}

// checkSize returns n, or 1 if it is less. It panics if n is too large.
func checkSize(n int) int {
	if n > maxSize {
		panic(ErrTooLarge)
	}
	return max(n, 1)
}

// begin makes b, which was idle and which nobody else has, somebody's.
func (b *Buffer) begin() {
	rt.Store(&b.refs, 0)
	b.reset()
}

// reset takes away what the user before has left.
func (b *Buffer) reset() {
	if sanitize.Enabled {
		sanitize.Reused(b.B)
	}
	b.B = b.B[:0]
	b.off = 0
	b.state = state{}
}

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

// New returns a Buffer with size bytes of content, which may be old bytes.
func New(size int) *Buffer {
	b := Make(size)
	b.B = b.B[:max(size, 0)]
	return b
}

// NewBuffer returns a Buffer that takes buf over, with its content: the caller
// must not use buf any more. The array goes to the pool when the Buffer ends. It
// panics with [ErrTooLarge] if buf is longer than 2 GiB - 1.
func NewBuffer(buf []byte) *Buffer {
	checkSize(len(buf))
	b := current().shelf.getBare()
	b.B = buf
	check.Own(buf)
	return b
}

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

// Clone returns a Buffer of its own with a copy of what was not read of b.
func Clone(b *Buffer) *Buffer { return NewBytes(b.unread()) }

// Clone is [Clone].
func (b *Buffer) Clone() *Buffer { return NewBytes(b.unread()) }
