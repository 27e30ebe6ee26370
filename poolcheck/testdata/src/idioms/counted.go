package idioms

import (
	"context"
	"net"
	"sync"

	"github.com/valyala/bytebufferpool"
)

// packet counts its users; the last one puts it back.
type packet struct {
	data []byte
	refs int
}

var packetPool = sync.Pool{New: func() any { return &packet{data: make([]byte, 0, 1452)} }}

// ok: one more user.
func (p *packet) split() { p.refs++ }

// ok: one user less; the packet lives on while there are others.
func (p *packet) decrement() {
	p.refs--
	if p.refs < 0 {
		panic("negative refs")
	}
}

// ok: puts if there are no users.
func (p *packet) maybeRelease() {
	if p.refs == 0 {
		packetPool.Put(p)
	}
}

// ok: one use ends, another goes on.
func handle(p *packet, f func([]byte) bool) {
	for len(p.data) > 0 {
		if !f(p.data) {
			break
		}
		p.split()
		p.decrement()
	}
	p.decrement()
	p.maybeRelease()
}

// sized pools, as in many servers: the put is sorted by capacity.
var small, medium, large = sizedPool(512), sizedPool(4096), sizedPool(65536)

func sizedPool(n int) *sync.Pool {
	return &sync.Pool{New: func() any { b := make([]byte, n); return &b }}
}

// ok: sorted by capacity; foreign sizes are left to the collector.
func putSized(b []byte) {
	b = b[:cap(b)]
	switch cap(b) {
	case 512:
		small.Put(&b)
	case 4096:
		medium.Put(&b)
	case 65536:
		large.Put(&b)
	}
}

type client struct {
	mu  sync.Mutex
	out net.Buffers
	c   net.Conn
}

// ok: the list is taken, written, and its buffers put from a second list,
// since WriteTo consumes the first.
func (c *client) flush() error {
	c.mu.Lock()
	list := c.out
	c.out = nil
	c.mu.Unlock()
	orig := append(net.Buffers(nil), list...)
	_, err := list.WriteTo(c.c)
	for i := range orig {
		putSized(orig[i])
		orig[i] = nil
	}
	return err
}

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

// ok: swapped out for the caller, who owns what comes back.
func (r *response) swap(p []byte) []byte {
	b := r.buffer()
	old := b.B
	b.B = p
	return old
}
