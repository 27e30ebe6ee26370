// Package wire is a helper of the tests: its functions release, borrow, lend
// and hand out pooled memory, seen from another package.
package wire

import (
	"io"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// Frame owns its payload until Done.
type Frame struct {
	Kind    byte
	Payload []byte
}

// NewFrame reads a frame with a payload from the pool.
func NewFrame(r io.Reader, n int) *Frame {
	f := &Frame{Payload: bytespool.Get(n)}
	io.ReadFull(r, f.Payload)
	return f
}

// Done gives the payload back.
func (f *Frame) Done() {
	bytespool.Release(f.Payload)
	f.Payload = nil
}

// Acquire returns memory that the caller gives back with Recycle.
func Acquire(n int) []byte { return bytespool.Get(n) }

// Recycle gives p back.
func Recycle(p []byte) { bytespool.Put(p) }

// Sum only reads p.
func Sum(p []byte) (n uint32) {
	for _, c := range p {
		n = n*31 + uint32(c)
	}
	return n
}

// Body returns a part of p: it aliases p.
func Body(p []byte) []byte { return p[4:] }

// CopyOf returns a copy of p that the collector owns.
func CopyOf(p []byte) []byte { return append([]byte(nil), p...) }

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

// Encode returns a Buffer that the caller releases.
func Encode(s string) *buffer.Buffer { return buffer.NewString(s) }

// Queue keeps what is pushed until Drain releases it.
type Queue struct {
	mu     sync.Mutex
	frames [][]byte
}

// Push takes p over.
func (q *Queue) Push(p []byte) {
	q.mu.Lock()
	q.frames = append(q.frames, p)
	q.mu.Unlock()
}

// Drain gives everything back.
func (q *Queue) Drain() {
	q.mu.Lock()
	for _, p := range q.frames {
		bytespool.Release(p)
	}
	q.frames = q.frames[:0]
	q.mu.Unlock()
}

var requests = sync.Pool{New: func() any { return &request{text: make([]byte, 4096)} }}

type request struct{ text []byte }

// A Header leads to a pooled request until Respond.
type Header struct{ req *request }

// Respond makes the text as long as it was, and gives the request back.
func (h *Header) Respond() {
	r := h.req
	r.text = r.text[:4096]
	requests.Put(r)
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

// NewPacker returns a Packer, which Pack gives back.
func NewPacker(w io.Writer) *Packer {
	p := packers.Get().(*Packer)
	p.w = w
	return p
}
