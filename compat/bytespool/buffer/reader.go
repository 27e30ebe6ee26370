package buffer

import (
	"bytes"
	"slices"
	"sync"

	"github.com/octet-go/octet/internal/check"
	"github.com/octet-go/octet/internal/engine"
)

var readers = sync.Pool{New: func() any { return new(bytes.Reader) }}

// GetReader returns a pooled reader of p. The reader belongs to the caller until
// [PutReader]. It does not own p: p must not change or be released while it is read.
func GetReader(p []byte) *bytes.Reader { return newReader(p, nil) }

// PutReader gives a reader back; it must not be used any more.
func PutReader(r *bytes.Reader) {
	if r != nil {
		putReader(r, nil)
	}
}

// GetReader returns a pooled reader of the content, and adds a reference for it, so that the
// array stays until [Buffer.PutReader] gives the reader back. There may be any number of
// readers, in any goroutines. They do not see what is appended later, but they do see changes
// of the content.
func (b *Buffer) GetReader() *bytes.Reader {
	b.RefInc()
	return newReader(b.Bytes(), b)
}

// PutReader gives back a reader of [Buffer.GetReader] and releases its reference, with
// the result of [Buffer.Release]. If r is nil, it does nothing and returns false.
func (b *Buffer) PutReader(r *bytes.Reader) bool {
	return r != nil && putReader(r, b) && b.Release()
}

// PutAll gives the readers back and ends the use of the Buffer, whatever its count:
// the caller knows that nobody else uses it any more.
func (b *Buffer) PutAll(rs ...*bytes.Reader) {
	for _, r := range rs {
		if r != nil {
			putReader(r, b)
		}
	}
	b.RefReset()
	b.Put()
}

// newReader returns a reader of p, for b unless b is nil. Package check tracks it if
// it tracks everything, or b.
func newReader(p []byte, b *Buffer) *bytes.Reader {
	p = slices.Clip(p) // WriteTo of a bytes.Reader passes it on
	if !check.Strict() && (b == nil || !b.count().Tracked()) {
		r := readers.Get().(*bytes.Reader)
		r.Reset(p)
		return r
	}
	r := bytes.NewReader(p)
	check.Track(r, b, check.Reader, len(p), engine.Of(active.Load().pools.Pool))
	return r
}

// putReader gives back r, a reader for b unless b is nil, and reports whether that was
// right.
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
