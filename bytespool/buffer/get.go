package buffer

import (
	"context"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
	"github.com/octet-go/octet/internal/rt"
	"github.com/octet-go/octet/internal/sanitize"
)

// Get returns an empty Buffer with room for at least 64 bytes. It belongs to the caller
// until Release. The array's size follows recent use: it may be as large as the Buffers
// released lately needed, if the pool has such a Buffer idle. [Make] is for a size that is
// known.
func Get() *Buffer { return get(nil) }

// get is Get of p, or of the package if p is nil.
func get(p *Pool) *Buffer {
	s := current()
	if p != nil {
		s = p.source(s)
	}
	if rt.Pinned {
		if l := s.usage.head.Load().Record(rt.Pin()); l != nil {
			b := (*Buffer)(nil)
			if s.usage.least.Load() == 0 {
				b = s.objects.Pop(l)
			} else { // usual is more than was asked for
				b = s.objects.Lend(l)
			}
			if b != nil {
				rt.Unpin()
				b.begin(s)
				return b
			}
		}
		rt.Unpin()
	}
	return s.getSlow()
}

// getSlow is get where the caller's processor has no Buffer of the usual class or may not
// lend it. It prefers one at hand that is smaller.
func (s *source) getSlow() *Buffer {
	usual, floor := uint8(s.usage.usual.Load()), s.engine.Class(leastSize)
	var b *Buffer
	for k := usual; b == nil && k > floor; k-- {
		b = s.objects.TakeLent(k)
	}
	track := false
	if b == nil {
		b, track = s.objects.Take(floor)
	}
	if b == nil {
		b = s.fresh(leastSize, 0, track, false)
	} else {
		b.begin(s)
	}
	s.engine.Charge(cap(b.B))
	return b
}

// Make returns an empty Buffer with room for at least capacity bytes; a negative capacity
// counts as 0. It belongs to the caller until Release. Make panics with [ErrTooLarge] if
// capacity is above 2 GiB - 1.
func Make(capacity int) *Buffer { return sized(nil, capacity) }

// sized is Make of p, or of the package if p is nil.
func sized(p *Pool, capacity int) *Buffer {
	s := current()
	if p != nil {
		s = p.source(s)
	}
	size := checkSize(capacity)
	k := s.engine.Class(size)
	b, _ := s.objects.TryTakeLent(k, size)
	if b == nil {
		b = s.makeSlow(k, size, explicit)
		s.engine.Charge(cap(b.B))
		return b
	}
	b.begin(s)
	b.streak = explicit
	return b
}

// makeSlow returns a Buffer of class k, or another one with room for size bytes, with the
// given streak. The caller charges it.
func (s *source) makeSlow(k uint8, size int, t streak) *Buffer {
	b, capacity, track := s.objects.TakeSlow(k, size)
	if b == nil {
		b = s.fresh(size, int(capacity), track, t == asks)
	} else {
		b.begin(s)
	}
	b.streak = t
	return b
}

// TryGet is [Make] if the limit of the package's pools allows it (see
// [bytespool.WithLimit] and [SetPools]), and otherwise returns [bytespool.ErrLimit] at
// once. Without a limit it always succeeds.
//
// The Buffer also asks for what it grows by: Write, WriteString, WriteByte, WriteRune and
// ReadFrom return ErrLimit if a larger array would exceed the limit, and lose nothing. The
// caller then gives up and releases the Buffer, or writes on when there is room. All other
// methods grow as those of any Buffer do: they succeed, and count. While the content moves
// to a larger array, both arrays count. So memory in use exceeds the limit by no more than
// one array for each Buffer that grows at that moment.
func TryGet(capacity int) (b *Buffer, err error) { return current().tryGet(capacity) }

// Acquire is [TryGet], but waits for room until ctx ends, as [bytespool.CapacityPools.Acquire]
// does. It waits for the first array alone: a Buffer that grows does not wait.
func Acquire(ctx context.Context, capacity int) (*Buffer, error) {
	return current().acquire(ctx, capacity)
}

// tryGet is [TryGet].
func (s *source) tryGet(capacity int) (*Buffer, error) {
	size := checkSize(capacity)
	k, n, err := s.admit(size, 0)
	if err != nil {
		return nil, err
	}
	return s.admitted(k, size, n), nil
}

// acquire is [Acquire].
func (s *source) acquire(ctx context.Context, capacity int) (*Buffer, error) {
	size := checkSize(capacity)
	n, err := s.engine.AdmitWaiting(ctx, size)
	if err != nil {
		return nil, err
	}
	return s.admitted(s.charged(size), size, n), nil
}

// admit asks for a slice of size bytes in place of one of comesBack bytes. It returns the
// class that may serve it, and how many bytes count until Settle.
func (s *source) admit(size, comesBack int) (k uint8, n int64, err error) {
	n, err = s.engine.Admit(size, comesBack)
	return s.charged(size), n, err
}

// charged returns the class of slices that have no more than size is charged.
func (s *source) charged(size int) uint8 {
	if k := s.engine.Class(size); s.engine.Capacity(k) == s.engine.CapacityOf(size) {
		return k
	}
	return engine.NoClass
}

// admitted returns a Buffer of class k, or another one with room for size bytes, which asks
// for what it grows by. For it, n bytes were counted.
func (s *source) admitted(k uint8, size int, n int64) (b *Buffer) {
	got := 0
	defer func() { s.engine.Settle(n, got) }() // deferred: making a Buffer may panic
	b = s.makeSlow(k, size, asks)
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
		s.adopt(b)
	}
	if sanitize.Enabled {
		sanitize.Reused(b.B)
	}
	b.refs.acquire()
	b.B = b.B[:0]
	b.off, b.last = 0, 0
}

// fresh returns a Buffer with a slice of the pool that has room for n bytes, or
// without one if n is 0. If track is set, package check tracks it; else the slice
// has the given capacity, if that is not 0. The caller charges the slice, and has asked for
// n bytes of it if asked is set.
func (s *source) fresh(n, capacity int, track, asked bool) *Buffer {
	var b *Buffer
	if !track {
		b, track = s.objects.TakeBare()
	}
	switch {
	case track:
		return s.newTracked(n, asked)
	case b == nil:
		b = new(Buffer)
		s.adopt(b)
	default:
		b.begin(s)
	}
	if n > 0 {
		b.B = s.engine.NewLent(n, capacity, asked)[:0]
	}
	return b
}

// NewBuffer returns a Buffer whose content is buf, and which owns buf's array from
// now on: the caller must not use buf any more, and the last Release gives the array
// to the pools of the package, whatever pool buf is from. For a slice of other pools use
// [Pool.NewBuffer]: they would count it as in use for ever. NewBuffer panics with
// [ErrTooLarge] if buf is longer than 2 GiB - 1.
func NewBuffer(buf []byte) *Buffer { return current().over(buf, explicit) }

// over returns a Buffer of s over buf, with the given streak.
func (s *source) over(buf []byte, t streak) *Buffer {
	checkSize(len(buf))
	b := s.fresh(0, 0, false, false)
	b.B, b.streak = buf, t
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

// Clone returns another Buffer with a copy of the unread content.
func (b *Buffer) Clone() *Buffer { return NewBytes(b.unread()) }
