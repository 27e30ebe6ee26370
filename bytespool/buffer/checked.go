package buffer

import (
	"math"

	"github.com/octet-go/octet/checked/finding"
	"github.com/octet-go/octet/internal/check"
)

// While package check checks everything, all Buffers that are handed out are
// tracked, and in mode sample some are. A tracked Buffer is never handed out again,
// so that a stale pointer to it does not point to another owner's Buffer. Its count
// makes its release take the slow path. After the release it has nothing to read and
// no room to write to, so that methods that use it take a slow path too, which
// reports the misuse.

func init() { check.RegisterPackage() }

// released is the read offset of a tracked Buffer that was released.
const released = math.MaxInt

// newTracked returns a tracked Buffer with room for at least n bytes, or without
// an array if n is 0.
func (s *source) newTracked(n int) *Buffer {
	b := &Buffer{home: s}
	b.refs.n.Store(tracked)
	if n > 0 {
		b.B = s.engine.NewOwned(n)[:0]
	}
	check.Track(b, (*Buffer)(nil), check.Buffer, cap(b.B), s.engine)
	return b
}

// endTracked tells package check that the use of b ends, and reports whether that is
// right.
func (b *Buffer) endTracked() bool {
	_, ok := check.End(b, (*Buffer)(nil))
	return ok
}

// bury releases the array of b, whose use ends, and makes every later use of b take
// a slow path. B still points at the array: reads find the pattern, or fault.
func (b *Buffer) bury() (ok bool) {
	ok = b.home.engine.ReleaseOwned(b.B)
	b.B = b.B[:len(b.B):len(b.B)]
	b.off = released
	b.tenure = over
	return ok
}

// stale reports that b was used after its release, if that is known.
func (b *Buffer) stale() { check.Misused(b, finding.UseAfterRelease, "used after release") }

// releasedAgain reports a release of b, if b was tracked and is released already.
func (b *Buffer) releasedAgain() {
	if b.refs.buried() {
		check.Misused(b, finding.DoubleRelease, "released twice")
	}
}
