package idioms

import (
	"context"
	"net"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/bytespool"
	"github.com/valyala/bytebufferpool"
)

// packet counts its users; the last one puts it back.
type packet struct {
	data []byte
	refs int
}

var packetPool = sync.Pool{New: func() any { return &packet{data: make([]byte, 0, 1452)} }}

// ok: a fresh packet has one user.
func getPacket() *packet {
	p := packetPool.Get().(*packet)
	p.refs = 1
	p.data = p.data[:0]
	return p
}

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

// ok: ends the last use.
func (p *packet) release() {
	p.decrement()
	if p.refs != 0 {
		panic("release of a packet in use")
	}
	packetPool.Put(p)
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

// page is counted by an atomic; the literal runs when the count is zero.
type page struct {
	refs atomic.Int32
	buf  [4096]byte
}

// ok: the literal that puts is called once, by the last user.
func (p *page) unref(free func(*page)) {
	if p.refs.Add(-1) == 0 {
		free(p)
	}
}

// sized pools, as in many servers: the put is sorted by capacity.
var small, medium, large = sizedPool(512), sizedPool(4096), sizedPool(65536)

func sizedPool(n int) *sync.Pool {
	return &sync.Pool{New: func() any { b := make([]byte, n); return &b }}
}

// ok: the smallest pool that fits.
func getSized(n int) []byte {
	switch {
	case n <= 512:
		return *small.Get().(*[]byte)
	case n <= 4096:
		return *medium.Get().(*[]byte)
	case n <= 65536:
		return *large.Get().(*[]byte)
	default:
		return make([]byte, n)
	}
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

// ok: outbound data is cut into sized buffers that the writer puts.
func (c *client) queue(p []byte) {
	for len(p) > 0 {
		b := getSized(len(p))
		n := copy(b[:cap(b)], p)
		c.out = append(c.out, b[:n])
		p = p[n:]
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

// ok: the sender puts what it received.
func sender(c net.Conn, in <-chan *element) {
	for e := range in {
		_, err := c.Write(e.data)
		e.put()
		if err != nil {
			for e := range in {
				e.put()
			}
			return
		}
	}
}

// holder is the value that some pools keep: a struct around the slice.
type holder struct{ buf []byte }

type wsConn struct {
	pool interface {
		Get() any
		Put(any)
	}
	writeBuf []byte
}

// ok: the connection borrows a buffer for one message.
func (c *wsConn) begin() {
	if c.writeBuf == nil {
		if h, ok := c.pool.Get().(holder); ok {
			c.writeBuf = h.buf
		} else {
			c.writeBuf = make([]byte, 4096)
		}
	}
}

// ok: and gives it back at the message's end.
func (c *wsConn) end() {
	if c.pool != nil {
		c.pool.Put(holder{c.writeBuf})
		c.writeBuf = nil
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

// ok: put on reset.
func (r *response) reset() {
	if r.body != nil {
		bytebufferpool.Put(r.body)
		r.body = nil
	}
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

// ok: a worker's scratch is acquired once and released when its input ends.
func worker(in <-chan string, out chan<- int) {
	b := bytespool.Make(1024)
	defer func() { bytespool.Release(b) }()
	for s := range in {
		b = bytespool.AppendString(b[:0], s)
		out <- len(b)
	}
}

// ok: acquired in a goroutine of an errgroup, released in it.
func each(names []string, run func(func() error)) {
	for _, n := range names {
		run(func() error {
			b := bytespool.NewString(n)
			defer bytespool.Release(b)
			b[0] = '/'
			return nil
		})
	}
}
