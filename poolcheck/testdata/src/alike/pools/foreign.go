// Package pools has releases that look as if they went into another pool than the memory came from.
package pools

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/valyala/bytebufferpool"
)

var (
	smallPool = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 512)) }}
	largePool = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 1<<20)) }}
	slicePool = sync.Pool{New: func() any { p := make([]byte, 4096); return &p }}

	pageA, pageB bytebufferpool.Pool

	metrics = bytespool.NewPool(bytespool.WithSizes(64, 4096))
	bodies  = bytespool.NewPool(bytespool.WithSizes(4096, 1<<20))
)

// ok: taken from and put into the same pool.
func uncrossed(w io.Writer, s string) {
	buf := smallPool.Get().(*bytes.Buffer)
	buf.Reset()
	buf.WriteString(s)
	buf.WriteTo(w)
	smallPool.Put(buf)
}

// pick returns the pool for n bytes.
func pick(n int) *sync.Pool {
	if n > 512 {
		return &largePool
	}
	return &smallPool
}

// ok: the pool is chosen once and used for both.
func chosen(w io.Writer, s string) {
	p := pick(len(s))
	buf := p.Get().(*bytes.Buffer)
	buf.Reset()
	buf.WriteString(s)
	buf.WriteTo(w)
	p.Put(buf)
}

// ok: the pool is chosen again by the size it has grown to: a sorting that
// many programs do on purpose.
func sorted(w io.Writer, s string) {
	buf := pick(len(s)).Get().(*bytes.Buffer)
	buf.Reset()
	buf.WriteString(s)
	buf.WriteTo(w)
	pick(buf.Cap()).Put(buf)
}

// ok: one set of classes.
func oneSet(w io.Writer, s string) {
	b := append(metrics.Make(len(s)), s...)
	w.Write(b)
	metrics.Release(b)
}

// ok: the default set is what the package's functions use.
func defaultSet(w io.Writer, s string) {
	b := append(bytespool.Default().Make(len(s)), s...)
	w.Write(b)
	bytespool.Release(b)
}

// ok: bytespool takes any slice that nobody else owns.
func adoptedSlice(w io.Writer, s string) {
	b := make([]byte, 0, 1024)
	b = append(b, s...)
	w.Write(b)
	bytespool.Release(b)
}

// ok: so also what a file's content came in.
func adoptedFile(w io.Writer, name string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	w.Write(b)
	bytespool.Release(b)
	return nil
}

type conn struct {
	scratch [256]byte
	w       *bufio.Writer
	r       *bufio.Reader
	in      []byte
}

// ok: a copy of what was peeked.
func (c *conn) peekedCopy() byte {
	b, err := c.r.Peek(4)
	if err != nil {
		return 0
	}
	own := append(bytespool.Make(len(b)), b...)
	k := own[0]
	bytespool.Release(own)
	return k
}

// sink counts what it is given.
type sink struct{ n int }

// ok: a method of another shape may take over.
func (s *sink) Consume(p []byte) {
	s.n += len(p)
	bytespool.Release(p)
}

// ok: an io.Writer that copies.
func (c *conn) Write(p []byte) (int, error) {
	c.in = bytespool.Append(c.in, p...)
	return len(p), nil
}

// ok: the pool holds *[]byte and gets one.
func rightType(w io.Writer) {
	bp := slicePool.Get().(*[]byte)
	w.Write(*bp)
	slicePool.Put(bp)
}

// ok: a fresh object of the right type may be put.
func freshObject() {
	slicePool.Put(new([]byte))
	smallPool.Put(new(bytes.Buffer))
}

var builderPool sync.Pool

// ok: a pool without New whose Gets check for nil.
func builder() *strings.Builder {
	if v := builderPool.Get(); v != nil {
		return v.(*strings.Builder)
	}
	return new(strings.Builder)
}

// ok: what builder returns goes back to where it looked.
func builderDone(sb *strings.Builder) {
	sb.Reset()
	builderPool.Put(sb)
}
