package idioms

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/bytedance/gopkg/lang/mcache"
)

// node is one piece of a linked buffer; its memory has a pool of its own.
type node struct {
	buf      []byte
	off, end int
	next     *node
	readOnly bool
}

var nodePool = sync.Pool{New: func() any { return new(node) }}

// ok: the node and its memory are taken together.
func newNode(n int) *node {
	nd := nodePool.Get().(*node)
	nd.buf = mcache.Malloc(n)
	return nd
}

// ok: and given back together; read-only memory is somebody else's.
func (nd *node) Release() {
	if !nd.readOnly {
		mcache.Free(nd.buf)
	}
	nd.readOnly = false
	nd.buf, nd.next = nil, nil
	nd.off, nd.end = 0, 0
	nodePool.Put(nd)
}

// chain is the linked buffer.
type chain struct {
	head, read, write *node
	size              int
}

// ok: each round gives back another node: the next is read before.
func (c *chain) release() {
	for c.head != c.read {
		nd := c.head
		c.head = c.head.next
		c.size += nd.end
		nd.Release()
	}
}

// ok: the head is given back, and the field moves on to another node.
func (c *chain) releaseHead() {
	if c.head.next == c.write {
		nd := c.head
		nd.Release()
		c.tail()
		c.head, c.read = c.write, c.write
	}
}

// ok: a tail that is too large is replaced by a new node.
func (c *chain) tail() {
	if cap(c.write.buf) > 1<<20 {
		nd := c.write
		c.write.next = newNode(4096)
		c.write = c.write.next
		nd.Release()
		return
	}
	c.write.off, c.write.end = 0, 0
}

// ok: written and given back node by node, up to the last, which stays.
func (c *chain) flush(w io.Writer) error {
	for {
		n, err := w.Write(c.head.buf[c.head.off:c.head.end])
		if err != nil {
			return err
		}
		c.head.off += n
		if c.head == c.write {
			return nil
		}
		nd := c.head
		c.head = c.head.next
		nd.Release()
	}
}

// buffer and its pool are written out as in packages that carry their own
// copy of bytebufferpool.
type byteBuffer struct{ B []byte }

func (b *byteBuffer) Reset() { b.B = b.B[:0] }

type calibrated struct {
	calls   [20]uint64
	maxSize uint64
	p       sync.Pool
}

// ok: as the others.
func (c *calibrated) Get() *byteBuffer {
	if v := c.p.Get(); v != nil {
		return v.(*byteBuffer)
	}
	return &byteBuffer{}
}

// ok: the length is looked at, the content cut, the object put: one release.
func (c *calibrated) Put(b *byteBuffer) {
	atomic.AddUint64(&c.calls[len(b.B)%20], 1)
	if max := int(atomic.LoadUint64(&c.maxSize)); max == 0 || cap(b.B) <= max {
		b.Reset()
		c.p.Put(b)
	}
}

// ok: the field is appended to, lent, and put with its object.
func (c *calibrated) path(host, path []byte, set func([]byte)) {
	b := c.Get()
	b.B = append(b.B, '/')
	b.B = append(b.B, host...)
	b.B = append(b.B, path...)
	set(b.B)
	c.Put(b)
}

// ok: the field is replaced by a slice that was appended to, under a deferred
// put of the object.
func (c *calibrated) lines(w io.Writer, text []string) error {
	b := c.Get()
	defer c.Put(b)
	out := b.B[:0]
	for _, t := range text {
		out = append(append(out, t...), '\n')
	}
	if len(out) == 0 {
		return nil
	}
	b.B = out
	_, err := w.Write(b.B)
	return err
}

// A link is one piece of a list that a function finds.
type link struct {
	next *link
	data []byte
}

var linkPool = sync.Pool{New: func() any { return &link{data: make([]byte, 4096)} }}

// ok: the loop gives back all but the first, which a comparison tells from the others.
func join(size int, find func() *link) (text string) {
	first := find()
	all := linkPool.Get().(*link)
	off := 0
	for n := first; n != nil && off < size; {
		off += copy(all.data[off:], n.data)
		if n == first {
			n = n.next
		} else {
			old := n
			n = n.next
			linkPool.Put(old)
		}
	}
	off += copy(all.data[off:], first.data)
	text = string(all.data[:off])
	linkPool.Put(first)
	linkPool.Put(all)
	return text
}
