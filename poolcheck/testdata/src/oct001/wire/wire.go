// Package wire is a helper of the tests: its functions release, borrow, lend
// and hand out pooled memory, seen from another package.
package wire

import (
	"io"
	"sync"

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

// RecycleIf gives p back when done is true, and says so.
func RecycleIf(p []byte, done bool) bool {
	if done {
		Recycle(p)
	}
	return done
}

// A Packer packs into a writer.
type Packer struct{ w io.Writer }

var packers = sync.Pool{New: func() any { return new(Packer) }}

func (p *Packer) Write(b []byte) (int, error) { return p.w.Write(b) }

// Pack packs b into w. A w that is a Packer is used as it is, and given back.
func Pack(w io.Writer, b []byte) error {
	p, ok := w.(*Packer)
	if !ok {
		p = packers.Get().(*Packer)
		p.w = w
	}
	_, err := p.Write(b)
	packers.Put(p)
	return err
}
