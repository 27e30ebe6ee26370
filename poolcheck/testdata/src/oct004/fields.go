package oct004

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"sync"

	"github.com/octet-go/octet/bytespool"
)

var (
	fieldBufs  = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	fieldGzips = sync.Pool{New: func() any { return new(gzip.Writer) }}
	fieldBytes = sync.Pool{New: func() any { b := make([]byte, 1024); return &b }}
)

// A gzipResponse has a compressor from its first Write on.
type gzipResponse struct {
	w  io.Writer
	gz *gzip.Writer
}

func (r *gzipResponse) Write(p []byte) (int, error) {
	if r.gz == nil {
		r.gz = fieldGzips.Get().(*gzip.Writer)
		r.gz.Reset(r.w)
	}
	return r.gz.Write(p)
}

// bad: nobody closes again what could not be closed.
func (r *gzipResponse) Close() error {
	if r.gz == nil {
		return nil
	}
	if err := r.gz.Close(); err != nil {
		return err // want "OCT004: gz is not released: Close does not release it"
	}
	fieldGzips.Put(r.gz)
	r.gz = nil
	return nil
}

// A bodyWriter releases its body beside Close, too.
type bodyWriter struct {
	w    io.WriteCloser
	body *bytes.Buffer
}

func (b *bodyWriter) Write(p []byte) (int, error) {
	if b.body == nil {
		b.body = fieldBufs.Get().(*bytes.Buffer)
	}
	return b.body.Write(p)
}

func (b *bodyWriter) abort() {
	fieldBufs.Put(b.body)
	b.body = nil
}

// ok: abort is for the case that this fails.
func (b *bodyWriter) Close() error {
	if b.body == nil {
		return nil
	}
	if _, err := b.w.Write(b.body.Bytes()); err != nil {
		return err
	}
	fieldBufs.Put(b.body)
	b.body = nil
	return b.w.Close()
}

// A session answers a second Close with an error.
type fieldSession struct {
	closed bool
	conn   net.Conn
	buf    *bytes.Buffer
}

// ok: the error says that the buffer was released before.
func (s *fieldSession) Close() error {
	if s.closed {
		return errors.New("closed twice")
	}
	s.closed = true
	fieldBufs.Put(s.buf)
	return s.conn.Close()
}

// A record keeps its bytes in pooled memory that grows.
type record struct{ data *[]byte }

func (r *record) free() { fieldBytes.Put(r.data) }

// bad: the old bytes are copied and dropped.
func (r *record) grow(n int) {
	bigger := fieldBytes.Get().(*[]byte)
	if cap(*bigger) < n {
		*bigger = make([]byte, n)
	}
	copy(*bigger, *r.data)
	r.data = bigger // want "OCT004: data is not released: grow puts other memory in its place"
}

// ok: they go back.
func (r *record) growRight(n int) {
	bigger := fieldBytes.Get().(*[]byte)
	copy(*bigger, *r.data)
	fieldBytes.Put(r.data)
	r.data = bigger
}

// ok: there may be nothing yet.
func (r *record) begin() {
	r.data = fieldBytes.Get().(*[]byte)
}

// ok: the old bytes are the caller's from now on.
func (r *record) exchange() *[]byte {
	old := r.data
	next := fieldBytes.Get().(*[]byte)
	copy(*next, *old)
	r.data = next
	return old
}

// A framed writer has two buffers.
type framed struct {
	w      io.Writer
	header *bytes.Buffer
	body   *bytes.Buffer
}

// bad: Close forgets the header's.
func newFramed(w io.Writer) *framed {
	return &framed{
		w:      w,
		header: fieldBufs.Get().(*bytes.Buffer), // want "OCT004: .* is not released: it is put into header, and nothing that comes out of there is"
		body:   fieldBufs.Get().(*bytes.Buffer),
	}
}

func (f *framed) Close() error {
	f.header.WriteString("end")
	_, err := f.w.Write(f.header.Bytes())
	fieldBufs.Put(f.body)
	f.body = nil
	return err
}

// A scratchpad is pooled together with its buffer.
type scratchpad struct {
	line *bytes.Buffer
	n    int
}

var scratchpads sync.Pool

// ok: the next user of the scratchpad finds the buffer in it.
func newScratchpad() *scratchpad {
	if s, ok := scratchpads.Get().(*scratchpad); ok {
		return s
	}
	return &scratchpad{line: fieldBufs.Get().(*bytes.Buffer)}
}

func (s *scratchpad) Release() {
	s.line.Reset()
	scratchpads.Put(s)
}

// A traced call has a buffer that its function releases.
type traced struct {
	w    io.Writer
	line *bytes.Buffer
}

func (t *traced) Close() error {
	_, err := t.w.Write(t.line.Bytes())
	return err
}

// ok: who got the buffer releases it.
func trace(w io.Writer, f func(*traced)) error {
	line := fieldBufs.Get().(*bytes.Buffer)
	defer fieldBufs.Put(line)
	t := &traced{w: w, line: line}
	f(t)
	return t.Close()
}

// A lineWriter has a buffer until it is closed.
type lineWriter struct {
	w   io.Writer
	buf *bytes.Buffer
}

func newLineWriter(w io.Writer) *lineWriter {
	return &lineWriter{w: w, buf: fieldBufs.Get().(*bytes.Buffer)}
}

func (l *lineWriter) Write(p []byte) (int, error) { return l.buf.Write(p) }

func (l *lineWriter) Close() error {
	_, err := l.w.Write(l.buf.Bytes())
	fieldBufs.Put(l.buf)
	l.buf = nil
	return err
}

// ok: it is closed whatever happens.
func copyLinesRight(w io.Writer, r io.Reader) error {
	l := newLineWriter(w)
	if _, err := io.Copy(l, r); err != nil {
		l.Close()
		return err
	}
	return l.Close()
}

// A onceWriter is done after one Write.
type onceWriter struct{ buf *bytes.Buffer }

func (o *onceWriter) Write(p []byte) (int, error) {
	fieldBufs.Put(o.buf)
	o.buf = nil
	return len(p), nil
}

// ok: the Write that io.WriteString makes releases the buffer.
func writeOnce(s string, fail bool) error {
	o := &onceWriter{buf: fieldBufs.Get().(*bytes.Buffer)}
	if _, err := io.WriteString(o, s); err != nil {
		return err
	}
	if o.buf != nil {
		fieldBufs.Put(o.buf)
	}
	return nil
}

// A lineReader gets a buffer if it has none.
type lineReader struct {
	r   io.Reader
	buf []byte
}

var readerBufs = sync.Pool{New: func() any { return make([]byte, 0, 1024) }}

func (l *lineReader) free() {
	readerBufs.Put(l.buf[:0])
	l.buf = nil
}

func ensure(buf *[]byte) {
	if cap(*buf) == 0 {
		*buf = readerBufs.Get().([]byte)
	}
}

// ok: what is replaced has no bytes, and what is used later is the new buffer.
func (l *lineReader) more() error {
	have := len(l.buf)
	ensure(&l.buf)
	n, err := l.r.Read(l.buf[have:cap(l.buf)])
	l.buf = l.buf[:have+n]
	return err
}

// A rowWriter ends with what its Close defers.
type rowWriter struct {
	w   io.Writer
	buf *bytes.Buffer
}

func newRowWriter(w io.Writer) *rowWriter {
	return &rowWriter{w: w, buf: fieldBufs.Get().(*bytes.Buffer)}
}

func (r *rowWriter) Write(p []byte) (int, error) { return r.buf.Write(p) }

// bad: the release is only deferred where nothing has failed yet.
func (r *rowWriter) Close() error {
	if _, err := r.w.Write(r.buf.Bytes()); err != nil {
		return err // want "OCT004: .* is not released: Close does not release it"
	}
	defer func() {
		fieldBufs.Put(r.buf)
		r.buf = nil
	}()
	_, err := io.WriteString(r.w, "\n")
	return err
}

// A chunked keeps the chunks that readers still look at.
type chunked struct {
	cur  []byte
	n    int
	live [][]byte
}

// ok: the old chunk goes to those that are released later.
func (c *chunked) rotate() {
	c.live = append(c.live, c.cur)
	next := bytespool.Get(4096)
	c.n = copy(next, c.cur[c.n:])
	c.cur = next
}

func (c *chunked) recycle() {
	for _, b := range c.live {
		bytespool.Release(b)
	}
	c.live = c.live[:0]
}

func (c *chunked) Close() {
	c.recycle()
	bytespool.Release(c.cur)
	c.cur = nil
}

// ok: sums are returned by the methods that make them.
func (c *chunked) total() *big.Int {
	sum := sums.Get().(*big.Int)
	return sum.Add(sum, big.NewInt(int64(c.n)))
}

func (c *chunked) print(w io.Writer) {
	sum := c.total()
	fmt.Fprint(w, sum)
	sums.Put(sum)
}

var sums = sync.Pool{New: func() any { return new(big.Int) }}

// A messageReader has the present message.
type messageReader struct {
	r   io.Reader
	msg *bytes.Buffer
}

// bad: the message before is lost.
func (r *messageReader) Next() error {
	r.msg = fieldBufs.Get().(*bytes.Buffer) // want "OCT004: msg is not released: Next puts other memory in its place"
	r.msg.Reset()
	_, err := io.CopyN(r.msg, r.r, 512)
	return err
}

func (r *messageReader) Close() error {
	if r.msg != nil {
		fieldBufs.Put(r.msg)
		r.msg = nil
	}
	return nil
}

// A messageTaker gives the present message away.
type messageTaker struct {
	r   io.Reader
	msg *bytes.Buffer
}

// ok: take has left nothing.
func (r *messageTaker) Next() error {
	r.msg = fieldBufs.Get().(*bytes.Buffer)
	r.msg.Reset()
	_, err := io.CopyN(r.msg, r.r, 512)
	return err
}

func (r *messageTaker) take() *bytes.Buffer {
	msg := r.msg
	r.msg = nil
	return msg
}

func (r *messageTaker) Close() error {
	if r.msg != nil {
		fieldBufs.Put(r.msg)
		r.msg = nil
	}
	return nil
}

// A lazyReader takes a buffer when it is first read.
type lazyReader struct {
	r     io.Reader
	begun bool
	buf   *bytes.Buffer
}

// ok: it takes none the next time.
func (r *lazyReader) Read(p []byte) (int, error) {
	if !r.begun {
		r.buf = fieldBufs.Get().(*bytes.Buffer)
		r.buf.Reset()
		r.begun = true
	}
	if _, err := io.CopyN(r.buf, r.r, 512); err != nil {
		return 0, err
	}
	return r.buf.Read(p)
}

func (r *lazyReader) Close() error {
	fieldBufs.Put(r.buf)
	r.buf = nil
	return nil
}
