package oct007

import (
	"bytes"
	"sync"
)

type frameHead struct{ data []byte }

type fullFrame struct {
	frameHead
	size int
}

var fullFrames = sync.Pool{New: func() any { return new(fullFrame) }}

func newFullFrame() *fullFrame { return fullFrames.Get().(*fullFrame) }

// ok: what comes out is taken for this.
func (f *fullFrame) free() {
	f.size = 0
	fullFrames.Put(f)
}

// bad: what is promoted has the embedded struct for its receiver.
func (h *frameHead) drop() {
	h.data = h.data[:0]
	fullFrames.Put(h) // want "OCT007: h is a \\*frameHead, and what comes out of the pool is taken for a \\*fullFrame"
}

var typedSlices = sync.Pool{New: func() any { p := make([]byte, 512); return &p }}

func getTyped() []byte { return *typedSlices.Get().(*[]byte) }

// bad: the pool has pointers to slices.
func putTyped(p []byte) {
	typedSlices.Put(p) // want "OCT007: p is a \\[\\]byte, and what comes out of the pool is taken for a \\*\\[\\]byte"
}

// bad: the pointer is one too many.
func putTypedTwice() {
	p := typedSlices.Get().(*[]byte)
	typedSlices.Put(&p) // want "OCT007: p is a \\*\\*\\[\\]byte, and what comes out of the pool is taken for a \\*\\[\\]byte"
}

// A mixed pool has things of two types.
var mixed sync.Pool

func getMixed() []byte {
	switch v := mixed.Get().(type) {
	case *bytes.Buffer:
		return v.Bytes()
	case *fullFrame:
		return v.data
	}
	return nil
}

// ok: both are looked for.
func putMixed(b *bytes.Buffer, f *fullFrame) {
	mixed.Put(b)
	mixed.Put(f)
}

// Shared is for other packages as well.
var Shared sync.Pool

func getShared() *fullFrame { return Shared.Get().(*fullFrame) }

// ok: another package may take it for this.
func putShared(h *frameHead) { Shared.Put(h) }
