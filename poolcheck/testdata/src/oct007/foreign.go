// Package oct007 holds releases into a pool that the memory did not come from,
// or of memory that somebody else owns, and code that looks like one and is
// not.
package oct007

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/valyala/bytebufferpool"
)

var (
	smallPool = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 512)) }}
	largePool = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 1<<20)) }}
	slicePool = sync.Pool{New: func() any { p := make([]byte, 4096); return &p }}

	pageA, pageB bytebufferpool.Pool

	metrics = bytespool.NewCapacityPools(64, 4096)
	bodies  = bytespool.NewCapacityPools(4096, 1<<20)
)

// bad: taken from the small pool, put into the large one.
func crossed(w io.Writer, s string) {
	buf := smallPool.Get().(*bytes.Buffer)
	buf.Reset()
	buf.WriteString(s)
	buf.WriteTo(w)
	largePool.Put(buf) // want "OCT007: .*buf.*"
}

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

// bad: mcache memory goes to bytespool.
func mcacheToBytespool(w io.Writer, s string) {
	p := mcache.Malloc(len(s))
	copy(p, s)
	w.Write(p)
	bytespool.Release(p) // want "OCT007: .*p.*"
}

// bad: bytespool memory goes to mcache.
func bytespoolToMcache(w io.Writer, s string) {
	p := bytespool.NewString(s)
	w.Write(p)
	mcache.Free(p) // want "OCT007: .*p.*"
}

// bad: two pools of bytebufferpool.
func twoPages(w io.Writer, s string) {
	page := pageA.Get()
	page.WriteString(s)
	page.WriteTo(w)
	pageB.Put(page) // want "OCT007: .*page.*"
}

// bad: taken from a pool's own, put into the package's default pool.
func ownAndDefault(w io.Writer, s string) {
	page := pageA.Get()
	page.WriteString(s)
	page.WriteTo(w)
	bytebufferpool.Put(page) // want "OCT007: .*page.*"
}

// bad: two sets of classes.
func twoSets(w io.Writer, s string) {
	b := metrics.NewString(s)
	w.Write(b)
	bodies.Release(b) // want "OCT007: .*b.*"
}

// ok: one set of classes.
func oneSet(w io.Writer, s string) {
	b := metrics.NewString(s)
	w.Write(b)
	metrics.Release(b)
}

// ok: the default set is what the package's functions use.
func defaultSet(w io.Writer, s string) {
	b := bytespool.DefaultCapacityPools.NewString(s)
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

// bad: the memory of a string may be read-only, and always has readers.
func stringMemory(w io.Writer, s string) {
	b := unsafe.Slice(unsafe.StringData(s), len(s))
	w.Write(b)
	bytespool.Release(b) // want "OCT007: .*b.*"
}

// s2b is the conversion that many programs have.
func s2b(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// bad: the same through a helper.
func stringMemoryHelper(w io.Writer, s string) {
	b := s2b(s)
	w.Write(b)
	bytespool.Release(b) // want "OCT007: .*b.*"
}

// bad: an array inside of a struct that lives on.
func (c *conn) arrayMemory() {
	b := c.scratch[:]
	c.w.Write(b)
	bytespool.Release(b) // want "OCT007: .*(b|scratch).*"
}

type conn struct {
	scratch [256]byte
	w       *bufio.Writer
	r       *bufio.Reader
	in      []byte
}

// bad: a package's table.
func tableMemory(w io.Writer) {
	b := table[:16]
	w.Write(b)
	bytespool.Put(b) // want "OCT007: .*(b|table).*"
}

var table [256]byte

// bad: Peek lends the reader's own buffer.
func (c *conn) peeked() byte {
	b, err := c.r.Peek(4)
	if err != nil {
		return 0
	}
	k := b[0]
	bytespool.Release(b) // want "OCT007: .*b.*"
	return k
}

// ok: a copy of what was peeked.
func (c *conn) peekedCopy() byte {
	b, err := c.r.Peek(4)
	if err != nil {
		return 0
	}
	own := bytespool.NewBytes(b)
	k := own[0]
	bytespool.Release(own)
	return k
}

// bad: ReadSlice lends it, too.
func (c *conn) line() int {
	b, err := c.r.ReadSlice('\n')
	if err != nil {
		return 0
	}
	n := len(b)
	bytespool.Release(b) // want "OCT007: .*b.*"
	return n
}

// ok: ReadBytes makes a slice for its caller.
func (c *conn) lineOwned() int {
	b, err := c.r.ReadBytes('\n')
	if err != nil {
		return 0
	}
	n := len(b)
	bytespool.Release(b)
	return n
}

// bad: the scanner reuses what Bytes shows.
func scanned(r io.Reader) (n int) {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		b := sc.Bytes()
		n += len(b)
		bytespool.Release(b) // want "OCT007: .*b.*"
	}
	return n
}

// bad: the bytes.Buffer still owns its array.
func bufferBytes(w io.Writer, parts []string) {
	var acc bytes.Buffer
	for _, p := range parts {
		acc.WriteString(p)
		b := acc.Bytes()
		w.Write(b)
		bytespool.Release(b) // want "OCT007: .*(b|acc).*"
	}
}

// sink counts what it is given.
type sink struct{ n int }

// bad: an io.Writer must not keep, and so not release, what it is given.
func (s *sink) Write(p []byte) (int, error) {
	s.n += len(p)
	bytespool.Release(p) // want "OCT007: .*p.*"
	return len(p), nil
}

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

// bad: an io.Reader fills what it is given; the caller reads it next.
func (c *conn) Read(p []byte) (int, error) {
	n := copy(p, c.in)
	bytespool.Release(p) // want "OCT007: .*p.*"
	return n, nil
}

// bad: the pool holds *[]byte, and the next Get's assertion panics.
func wrongType(w io.Writer) {
	bp := slicePool.Get().(*[]byte)
	w.Write(*bp)
	slicePool.Put(*bp) // want "OCT007: .*bp.*"
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

// bad: a Buffer that is put into a pool of bytes.Buffers by mistake.
func wrongBuffer(s string) {
	msg := buffer.NewString(s)
	smallPool.Put(msg) // want "OCT007: .*msg.*"
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

// bad: the body of a request belongs to the server's reader.
func handler(w http.ResponseWriter, r *http.Request) {
	br := bufio.NewReader(r.Body)
	head, _ := br.Peek(512)
	w.Header().Set("Content-Type", http.DetectContentType(head))
	bytespool.Release(head) // want "OCT007: .*head.*"
	br.WriteTo(w)
}
