// Package wire is a helper of the tests: its functions release, borrow, lend
// and hand out pooled memory, seen from another package.
package wire

import (
	"io"

	"github.com/octet-go/octet/bytespool"
)

// Frame owns its payload until Done.
type Frame struct {
	Kind    byte
	Payload []byte
}

// NewFrame reads a frame with a payload from the pool.
func NewFrame(r io.Reader, n int) *Frame {
	f := &Frame{Payload: bytespool.New(n)}
	io.ReadFull(r, f.Payload)
	return f
}

// Done gives the payload back.
func (f *Frame) Done() {
	bytespool.Release(f.Payload)
	f.Payload = nil
}

// Acquire returns memory that the caller gives back with Recycle.
func Acquire(n int) []byte { return bytespool.New(n) }

// Recycle gives p back.
func Recycle(p []byte) { bytespool.Release(p) }

// Sum only reads p.
func Sum(p []byte) (n uint32) {
	for _, c := range p {
		n = n*31 + uint32(c)
	}
	return n
}

// SendAndRecycle writes p and gives it back.
func SendAndRecycle(w io.Writer, p []byte) error {
	_, err := w.Write(p)
	Recycle(p)
	return err
}
