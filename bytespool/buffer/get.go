package buffer

import (
	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/sanitize"
)

// DefaultBufferSize is the capacity that [Get] asks for if its caller does not.
// Set it before goroutines use the package.
var DefaultBufferSize = 64

// Get returns an empty Buffer with room for at least capacity bytes, or for
// DefaultBufferSize if no capacity is given. It belongs to the caller until
// Release. Without a capacity the array's size follows recent use: it may be as
// large as the Buffers released lately needed, if the pool has such a Buffer idle.
//
// Get panics with [ErrTooLarge] if capacity is above 2 GiB - 1. A negative capacity
// counts as 0.
func Get(capacity ...int) *Buffer {
	n := unstated
	if len(capacity) > 0 {
		n = max(capacity[0], 0)
	}
	return get(n)
}

// unstated is the capacity that get is given if Get is given none.
const unstated = -1

// get is Get without the variadic parameter, so that Get is inlined and passes its
// argument in a register.
func get(capacity int) *Buffer {
	if capacity != unstated {
		return Make(capacity)
	}
	from := current()
	usual := from.usage.class(DefaultBufferSize)
	b, track := from.objects.Take(usual)
	if b == nil {
		return from.getSlow(usual, track)
	}
	b.begin()
	return b
}

// getSlow is get where no Buffer of the usual class is idle, or DefaultBufferSize
// was changed. If track is set, package check tracks the Buffer.
func (s *source) getSlow(usual uint8, track bool) *Buffer {
	size := checkSize(DefaultBufferSize)
	floor := s.engine.Class(size)
	var b *Buffer
	if usual == engine.NoClass {
		usual = s.usage.ask(s.engine, DefaultBufferSize)
		b, track = s.objects.Take(usual)
	}
	if b == nil && !track && usual != floor {
		b, track = s.objects.Take(floor)
	}
	if b == nil {
		return s.fresh(size, track)
	}
	b.begin()
	return b
}

// Make is Get with a capacity: it returns an empty Buffer with room for at least
// capacity bytes.
func Make(capacity int) *Buffer {
	from := current()
	b, track := from.objects.Take(from.engine.Class(checkSize(capacity)))
	if b == nil {
		b = from.fresh(checkSize(capacity), track)
	} else {
		b.begin()
	}
	b.streak = explicit
	return b
}

// checkSize returns n, or 1 if it is less. It panics if n is too large.
func checkSize(n int) int {
	if n > maxSize {
		panic(ErrTooLarge)
	}
	return max(n, 1)
}

// begin begins the use of b, which the caller has taken from the pool.
func (b *Buffer) begin() {
	b.refs.acquire()
	b.reset()
}

// reset removes what the previous user left in b.
func (b *Buffer) reset() {
	if sanitize.Enabled {
		sanitize.Reused(b.B)
	}
	b.B = b.B[:0]
	b.off = 0
	b.readAt, b.last, b.peak, b.borrowed = 0, 0, 0, false
}

// fresh returns a Buffer with a slice of the pool that has room for n bytes, or
// without one if n is 0. If track is set, package check tracks it.
func (s *source) fresh(n int, track bool) *Buffer {
	var b *Buffer
	if !track {
		b, track = s.objects.TakeBare()
	}
	switch {
	case track:
		return s.newTracked(n)
	case b == nil:
		b = &Buffer{home: s}
	default:
		b.begin()
	}
	if n > 0 {
		b.B = s.engine.NewOwned(n)[:0]
	}
	return b
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

// New returns a Buffer whose content is size bytes, which may be old bytes.
func New(size int) *Buffer {
	b := Make(size)
	b.B = b.B[:max(size, 0)]
	return b
}

// NewBuffer returns a Buffer whose content is buf, and which owns buf's array from
// now on: the caller must not use buf any more, and the last Release gives the array
// to the pool. It panics with [ErrTooLarge] if buf is longer than 2 GiB - 1.
func NewBuffer(buf []byte) *Buffer {
	checkSize(len(buf))
	b := current().fresh(0, false)
	b.B, b.streak = buf, explicit
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

// Clone returns another Buffer with a copy of the unread content of b.
func Clone(b *Buffer) *Buffer { return NewBytes(b.unread()) }

// Clone is [Clone].
func (b *Buffer) Clone() *Buffer { return NewBytes(b.unread()) }
