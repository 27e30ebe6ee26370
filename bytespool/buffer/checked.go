package buffer

import (
	"math"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/finding"
)

// While every slice is checked (package check), all Buffers that are handed out
// are tracked, and in mode sample some. A tracked Buffer is not used twice, so that
// a stale pointer is never somebody else's; its count makes its release take the
// slow path. After its release there is nothing in it to read or to write to, so
// that what uses it takes a slow path too, and finds out.

func init() { check.RegisterPackage[Buffer]() }

// released is Buffer.off of a tracked Buffer that was released.
const released = math.MaxInt

// newTracked returns a tracked Buffer with room for at least n bytes, or without
// an array if n is 0.
func (s *source) newTracked(n int, paid int64) *Buffer {
	b := &Buffer{home: s}
	b.refs.n.Store(tracked)
	if n > 0 {
		b.B = s.engine.NewOwned(n, paid)[:0]
	}
	check.Track(b, (*Buffer)(nil), "Buffer", cap(b.B), s.engine)
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
	ok = b.home.engine.Release(b.B)
	b.B = b.B[:len(b.B):len(b.B)]
	b.off = released
	b.borrowed = true
	return ok
}

// stale reports that b was used after its release, if that is known.
func (b *Buffer) stale() { check.Misused(b, finding.UseAfterRelease, "used after release") }

// releasedAgain reports a release of b, if it was tracked and is in the pool.
func (b *Buffer) releasedAgain() {
	if b.refs.buried() {
		check.Misused(b, finding.DoubleRelease, "released twice")
	}
}
