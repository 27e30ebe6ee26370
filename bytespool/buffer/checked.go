package buffer

import (
	"bytes"
	"math"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/finding"
)

// While every slice is checked (package check), all Buffers that are handed out
// are tracked, and in mode sample some. Such a Buffer is not used twice, so that a
// stale pointer is never somebody else's: its count is tracked + n, which keeps it from all seats and has its
// release take the slow path. After its release there is nothing in it to read
// or to write to, so that what uses it takes a slow path too, and finds out.

func init() { check.RegisterPackage[Buffer]() }

// tracked is the mark of a tracked Buffer, which is no seat's, and buried the
// count of one that was released.
const (
	tracked = 1 << 61
	buried  = -tracked
)

// released is Buffer.off of a tracked Buffer that was released.
const released = math.MaxInt

// ending returns the count of a Buffer that ends, whose mark is m.
func ending(m int64) int64 {
	switch {
	case m == tracked:
		return buried
	case m > 0:
		return m + 2*gone
	}
	return pooled
}

// isBuried reports whether n is the count of a tracked Buffer that was released.
func isBuried(n int64) bool { return mark(n) == buried }

// tracks reports whether the Buffer that is asked for is to be tracked.
func (h *shelf) tracks() bool {
	switch check.Current() {
	case check.Off:
		return false
	case check.Sample:
		if !check.Closes() && (h.picks.Load() <= 0 || h.picks.Add(-1) < 0) {
			return false
		}
		check.CountSampled()
	}
	return true
}

// Sample implements [engine.Companion]. Without Buffers at the seats Get and Make
// take the slow path.
func (h *shelf) Sample(n int) {
	h.picks.Store(int32(n))
	h.Trim()
}

// newTracked returns a tracked Buffer with room for at least n bytes, or without
// an array if n is 0.
func (h *shelf) newTracked(n int) *Buffer {
	b := &Buffer{home: h}
	b.refs.Store(tracked)
	if n > 0 {
		b.B = h.objects.Pool().NewOwned(n)[:0]
	}
	check.Track(b, (*Buffer)(nil), "Buffer", cap(b.B), h.objects.Pool())
	return b
}

// endTracked notes that b ends, and reports whether it may.
func (b *Buffer) endTracked() bool {
	_, ok := check.End(b, (*Buffer)(nil))
	return ok
}

// bury releases the array of b, which ends, and makes every use of b show. B
// points at the array still: who reads that meets the pattern, or a fault.
func (b *Buffer) bury() (ok bool) {
	ok = b.home.objects.Pool().Release(b.B)
	b.B = b.B[:len(b.B):len(b.B)]
	b.off = released
	b.lent = true
	return ok
}

// stale reports that b was used after its release, if that is known.
func (b *Buffer) stale() { check.Misused(b, finding.UseAfterRelease, "used after release") }

// releasedAgain reports that b, which is in the pool, was released, if it was
// tracked.
func (b *Buffer) releasedAgain() {
	if isBuried(b.refs.Load()) {
		check.Misused(b, finding.DoubleRelease, "released twice")
	}
}

// newReader returns a reader of p that is tracked if everything is: one of b, if
// that is not nil.
func newReader(p []byte, b *Buffer) *bytes.Reader {
	if !check.Strict() && (b == nil || mark(b.refs.Load()) != tracked) {
		r := readers.Get().(*bytes.Reader)
		r.Reset(p)
		return r
	}
	r := bytes.NewReader(p)
	check.Track(r, b, "reader", len(p), current().shelf.objects.Pool())
	return r
}

// putReader gives r back, one of b if that is not nil, and reports whether that
// was right.
func putReader(r *bytes.Reader, b *Buffer) (ok bool) {
	seen := false
	if check.Current() != check.Off {
		if seen, ok = check.End(r, b); !ok && check.Strict() {
			return false
		}
	}
	r.Reset(nil)
	if !seen {
		readers.Put(r)
	}
	return true
}
