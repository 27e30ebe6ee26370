package buffer

import (
	"context"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// leastSize is the room that Get returns at least.
const leastSize = 64

// Get returns an empty Buffer with room for at least 64 bytes. It belongs to the caller
// until Release. It is one as large as the last that was released, or the smallest that is idle.
// [Make] is for a size that is known.
func Get() *Buffer { return shared.getAny() }

// getAny is Get. It takes from the stack itself: a call costs a tenth of what Get, a short Write and
// Release take.
func (s *source) getAny() *Buffer {
	c := s.recent.Load()
	if !rt.Pinned || c == nil || c.Capacity < leastSize {
		return s.get(leastSize)
	}
	loan := c.Capacity > engine.LendFreely*leastSize
	if loan && s.engine.Narrow() {
		return s.get(leastSize)
	}
	if l := c.Record(rt.Pin()); l != nil {
		if b := s.objects.Pop(l); b != nil {
			look := loan && l.CountLoan(c.Capacity)
			rt.Unpin()
			if look {
				s.engine.Look()
			}
			b.begin(s)
			return b
		}
	}
	rt.Unpin()
	return s.get(leastSize)
}

// Make returns an empty Buffer with room for at least capacity bytes; a negative capacity
// counts as 0. It belongs to the caller until Release. Make panics with [ErrTooLarge] if
// capacity is above 2 GiB - 1.
func Make(capacity int) *Buffer { return shared.make(capacity) }

func (s *source) make(capacity int) *Buffer { return s.get(checkSize(capacity)) }

// get returns a Buffer with room for size bytes, at least 1.
func (s *source) get(size int) *Buffer {
	k := s.engine.Class(size)
	b, _ := s.objects.TryTake(k, size) // nothing in a pool with a limit
	if b == nil {
		return s.getSlow(k, size)
	}
	b.begin(s)
	return b
}

// getSlow is get where the caller's processor has no Buffer.
func (s *source) getSlow(k uint8, size int) *Buffer {
	if s.engine.Limited() {
		n := s.engine.CapacityOf(size)
		s.engine.Charge(n)
		return s.admitted(size, int64(n))
	}
	b, _, track := s.objects.Take(k, size, 0)
	if b == nil {
		return s.fresh(size, track)
	}
	b.begin(s)
	return b
}

// tryGet is [Pool.TryGet].
func (s *source) tryGet(capacity int) (*Buffer, error) {
	size := checkSize(capacity)
	n, err := s.engine.Admit(size)
	if err != nil {
		return nil, err
	}
	b := s.admitted(size, n)
	b.asks = true
	return b, nil
}

// acquire is [Pool.Acquire].
func (s *source) acquire(ctx context.Context, capacity int) (*Buffer, error) {
	size := checkSize(capacity)
	n, err := s.engine.AdmitWaiting(ctx, size)
	if err != nil {
		return nil, err
	}
	b := s.admitted(size, n)
	b.asks = true
	return b, nil
}

// admitted returns a Buffer with room for size bytes. For it, n bytes were counted.
func (s *source) admitted(size int, n int64) (b *Buffer) {
	got := 0
	defer func() { s.engine.Settle(n, got) }() // deferred: making a Buffer may panic
	k := s.engine.Class(size)
	if s.engine.Capacity(k) != s.engine.CapacityOf(size) {
		k = engine.NoClass // those of class k have more than was counted
	}
	b, _, track := s.objects.Take(k, size, n)
	if b == nil {
		b = s.fresh(size, track)
	} else {
		b.begin(s)
		n = max(n, int64(cap(b.B))) // so much counts
	}
	got = cap(b.B)
	return b
}

// checkSize returns n, or 1 if it is less. It panics if n is too large.
func checkSize(n int) int {
	if n > maxSize {
		panic(ErrTooLarge)
	}
	return max(n, 1)
}

// begin begins the use of b, which the caller has taken from what s keeps, where a source
// with the same pools may have put it. Content and read offset may be those of the last use.
func (b *Buffer) begin(s *source) {
	if b.home != s {
		b.home = s
	}
	if sanitize.Enabled {
		sanitize.Reused(b.B)
	}
	b.refs.acquire()
	b.B = b.B[:0]
	b.off, b.last, b.asks = 0, 0, false
}

// fresh returns a Buffer with a slice of the pool that has room for n bytes, or
// without one if n is 0. If track is set, package check tracks it. The caller charges the slice.
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
		b.begin(s)
	}
	if n > 0 {
		b.B = s.engine.NewOwned(n)[:0]
	}
	return b
}

// NewBuffer returns a Buffer whose content is buf, and which owns buf's array from
// now on: the caller must not use buf any more, and the last Release gives the array
// to the pools of the package, whatever pool buf is from. For a slice of other pools use
// [Pool.NewBuffer]: they would count it as in use for ever. NewBuffer panics with
// [ErrTooLarge] if buf is longer than 2 GiB - 1.
func NewBuffer(buf []byte) *Buffer { return shared.over(buf, false) }

// over returns a Buffer of s over buf, which may ask for what it grows by.
func (s *source) over(buf []byte, asks bool) *Buffer {
	checkSize(len(buf))
	b := s.fresh(0, false)
	b.B, b.asks = buf, asks
	check.Own(buf)
	return b
}
