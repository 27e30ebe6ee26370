package buffer

import (
	"strconv"

	"github.com/octet-go/octet/internal/earlier"
)

// maxRefs bounds the references beside the first.
const maxRefs = 1 << 40

// count returns the count of b.
func (b *Buffer) count() earlier.Count { return earlier.CountOf(b.octet()) }

// RefValue returns the count: the number of references beside the first. It is
// negative if the Buffer is in the pool.
func (b *Buffer) RefValue() int64 { return b.count().Value() }

// RefInc adds a reference: Release must be called once more.
func (b *Buffer) RefInc() { b.octet().RefInc() }

// RefDec removes a reference. Unlike Release, it never ends the use of the Buffer.
func (b *Buffer) RefDec() { b.count().Add(-1) }

// RefAdd adds delta references. The count stays between -2^40 and 2^40: RefAdd
// panics if it would not.
func (b *Buffer) RefAdd(delta int64) {
	if !inRange(delta) {
		tooManyRefs("RefAdd", delta)
	}
	c := b.count()
	if before := c.Add(delta); !inRange(before + delta) {
		c.Add(-delta)
		tooManyRefs("RefAdd", delta)
	}
}

// RefStore sets the count. It does nothing if the Buffer is in the pool, and panics
// if count is not between -2^40 and 2^40.
func (b *Buffer) RefStore(count int64) {
	if !inRange(count) {
		tooManyRefs("RefStore", count)
	}
	b.count().Store(count)
}

// RefReset sets the count to 0.
func (b *Buffer) RefReset() { b.RefStore(0) }

// RefSwapDec removes a reference and returns what the count was before, or a
// negative number if the Buffer is in the pool.
func (b *Buffer) RefSwapDec() int64 { return b.count().Add(-1) }

func inRange(n int64) bool { return -maxRefs <= n && n <= maxRefs }

func tooManyRefs(method string, n int64) {
	panic("buffer: " + method + " of " + strconv.FormatInt(n, 10) + ": the count would not be between -2^40 and 2^40")
}
