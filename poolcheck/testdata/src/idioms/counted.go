package idioms

import (
	"context"
	"net"
	"sync"

	"github.com/valyala/bytebufferpool"
)

// element travels through a pipeline of goroutines with its buffer.
type element struct {
	sync.Mutex
	buf  *[1500]byte
	data []byte
}

var (
	elementPool = sync.Pool{New: func() any { return new(element) }}
	messagePool = sync.Pool{New: func() any { return new([1500]byte) }}
)

// ok: the element and its buffer are taken together.
func newElement() *element {
	e := elementPool.Get().(*element)
	e.buf = messagePool.Get().(*[1500]byte)
	return e
}

// ok: and put together; references are cleared first.
func (e *element) put() {
	messagePool.Put(e.buf)
	e.buf, e.data = nil, nil
	elementPool.Put(e)
}

// ok: the reader reuses an element that it could not hand over.
func reader(ctx context.Context, c net.PacketConn, out chan<- *element) {
	var e *element
	for {
		if e == nil {
			e = newElement()
		}
		n, _, err := c.ReadFrom(e.buf[:])
		if err != nil {
			e.put()
			return
		}
		if n < 16 {
			continue
		}
		e.data = e.buf[:n]
		select {
		case out <- e:
			e = nil
		case <-ctx.Done():
			e.put()
			return
		}
	}
}

// response keeps its body in a pooled buffer that it takes when it is needed.
type response struct{ body *bytebufferpool.ByteBuffer }

// ok: taken at first use, kept in the field.
func (r *response) buffer() *bytebufferpool.ByteBuffer {
	if r.body == nil {
		r.body = bytebufferpool.Get()
	}
	return r.body
}

// ok: the compressed body takes the place of the old one, which is put.
func (r *response) compress(f func(dst []byte, src []byte) []byte) {
	w := bytebufferpool.Get()
	w.B = f(w.B, r.buffer().B)
	old := r.body
	r.body = w
	bytebufferpool.Put(old)
}
