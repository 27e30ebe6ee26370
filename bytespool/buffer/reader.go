package buffer

import (
	"bytes"
	"sync"

	"github.com/octet-go/octet/internal/check"
)

var readers = sync.Pool{New: func() any { return new(bytes.Reader) }}

// GetReader returns a reader of p from a pool. Give it back with [PutReader].
func GetReader(p []byte) *bytes.Reader { return newReader(p, nil) }

// PutReader gives a reader back, which must not be used any more.
func PutReader(r *bytes.Reader) {
	if r != nil {
		putReader(r, nil)
	}
}

// GetReader returns a reader of the content that was not read, and adds a
// reference for it. As long as it is there, the array stays: give it back with
// [Buffer.PutReader]. Any number of readers may be out, in any goroutines. They do
// not see what is appended later, and they do see what is changed.
func (b *Buffer) GetReader() *bytes.Reader {
	b.RefInc()
	return newReader(b.unread(), b)
}

// PutReader gives a reader of [Buffer.GetReader] back and releases its reference:
// the result is that of [Buffer.Release]. If r is nil it does nothing and returns
// false.
func (b *Buffer) PutReader(r *bytes.Reader) bool {
	return r != nil && putReader(r, b) && b.Release()
}

// PutAll gives the readers back and ends the buffer, whatever its count: the
// caller knows that nobody else uses it any more.
func (b *Buffer) PutAll(rs ...*bytes.Reader) {
	for _, r := range rs {
		if r != nil {
			putReader(r, b)
		}
	}
	if b.refs.endAll() {
		b.end()
	} else {
		b.releasedAgain()
	}
}

// newReader returns a reader of p that package check tracks if it tracks
// everything, or b, whose reader it is unless that is nil.
func newReader(p []byte, b *Buffer) *bytes.Reader {
	if !check.Strict() && (b == nil || !b.refs.tracked()) {
		r := readers.Get().(*bytes.Reader)
		r.Reset(p)
		return r
	}
	r := bytes.NewReader(p)
	check.Track(r, b, "reader", len(p), current().engine)
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
