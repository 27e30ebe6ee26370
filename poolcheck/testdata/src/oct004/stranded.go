package oct004

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

var strandedBufs = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// A lastReader keeps the last part for who asks for it.
type lastReader struct {
	r    io.Reader
	last struct {
		data *bytes.Buffer
		kind byte
	}
}

var errLast = errors.New("last part")

// bad: the copy is read, and nobody puts it back.
func (r *lastReader) next(dst io.Writer) error {
	buf := strandedBufs.Get().(*bytes.Buffer)
	defer strandedBufs.Put(buf)
	buf.Reset()
	if _, err := io.CopyN(buf, r.r, 512); err != nil {
		return err
	}
	if buf.Bytes()[0] == 0 {
		r.last.data = strandedBufs.Get().(*bytes.Buffer) // want "OCT004: .* is not released: it is put into data, and nothing that comes out of there is"
		r.last.data.Write(buf.Bytes())
		return errLast
	}
	_, err := dst.Write(buf.Bytes())
	return err
}

func (r *lastReader) trailer() string {
	last := r.last
	return last.data.String()
}

// An muxIn copies out what was put into it.
type muxIn struct {
	queue chan []byte
	stop  chan struct{}
}

var muxSlices = sync.Pool{New: func() any { return make([]byte, 1500) }}

func (b *muxIn) push(p []byte) bool {
	select {
	case b.queue <- p:
		return true
	default:
		return false
	}
}

// bad: what was pushed is not put back by who reads it.
func (b *muxIn) fill(r io.Reader) error {
	for {
		p := muxSlices.Get().([]byte) // want "OCT004: p is not released: it is put into queue, and nothing that comes out of there is"
		n, err := r.Read(p)
		if err != nil {
			muxSlices.Put(p) // want "boxed"
			return err
		}
		if !b.push(p[:n]) {
			muxSlices.Put(p) // want "boxed"
		}
	}
}

func (b *muxIn) Read(dst []byte) (int, error) {
	select {
	case p := <-b.queue:
		return copy(dst, p), nil
	case <-b.stop:
		return 0, io.EOF
	}
}

// A copyIn is like a muxIn, and puts back what was read.
type copyIn struct{ queue chan *[]byte }

var copySlices = sync.Pool{New: func() any { p := make([]byte, 1500); return &p }}

// ok: Read puts it back, by a function.
func (b *copyIn) fill(r io.Reader) error {
	for {
		p := copySlices.Get().(*[]byte)
		if _, err := r.Read(*p); err != nil {
			copySlices.Put(p)
			return err
		}
		b.queue <- p
	}
}

func (b *copyIn) Read(dst []byte) (int, error) {
	p := <-b.queue
	n := copy(dst, *p)
	recycleCopy(p)
	return n, nil
}

func recycleCopy(p *[]byte) { copySlices.Put(p) }

// A cell is a counted buffer.
type cellBuffer struct {
	refs atomic.Int32
	data []byte
}

var cellBuffers = sync.Pool{New: func() any { return new(cellBuffer) }}

func newCellBuffer() *cellBuffer {
	c := cellBuffers.Get().(*cellBuffer)
	c.refs.Store(1)
	return c
}

func (c *cellBuffer) Release() {
	if c.refs.Add(-1) == 0 {
		cellBuffers.Put(c)
	}
}

type releaser interface{ Release() }

// A sheet has cells of the present row.
type sheet struct{ cells []releaser }

// bad: nothing gives up the cell of the row before.
func (s *sheet) advance(p []byte) {
	c := newCellBuffer() // want "OCT004: c is not released: it is put into cells, and nothing that comes out of there is"
	c.data = append(c.data[:0], p...)
	s.cells[0] = c
}

func (s *sheet) first() []byte { return s.cells[0].(*cellBuffer).data }

// A book releases the cells of its pages.
type book struct{ pages []releaser }

// ok: close gives them up through the interface.
func (b *book) advance(p []byte) {
	c := newCellBuffer()
	c.data = append(c.data[:0], p...)
	b.pages = append(b.pages, c)
}

func (b *book) close() {
	for _, p := range b.pages {
		p.Release()
	}
}

// ok: who asks for the last part owns it.
type handingOver struct{ part *bytes.Buffer }

func (h *handingOver) read(r io.Reader) error {
	h.part = strandedBufs.Get().(*bytes.Buffer)
	_, err := h.part.ReadFrom(r)
	return err
}

func (h *handingOver) Part() *bytes.Buffer { return h.part }

// ok: the struct goes into a pool with its buffer.
type kit struct{ scratch *bytes.Buffer }

var kits sync.Pool

func (k *kit) prepare() {
	if k.scratch == nil {
		k.scratch = strandedBufs.Get().(*bytes.Buffer)
	}
	k.scratch.Reset()
}

func (k *kit) free() { kits.Put(k) }

// ok: a callback that is kept puts it back.
type delayed struct {
	buf  *bytes.Buffer
	done func()
}

func (d *delayed) begin(r io.Reader) error {
	buf := strandedBufs.Get().(*bytes.Buffer)
	d.done = func() { strandedBufs.Put(buf) }
	d.buf = buf
	_, err := d.buf.ReadFrom(r)
	return err
}

func (d *delayed) text() string { return d.buf.String() }

// ok: the buffer moves on to a list whose elements are put back.
type moving struct {
	open   *bytes.Buffer
	closed []*bytes.Buffer
}

func (m *moving) begin() { m.open = strandedBufs.Get().(*bytes.Buffer) }

func (m *moving) end() {
	m.closed = append(m.closed, m.open)
	m.open = nil
}

func (m *moving) flush(w io.Writer) {
	for _, b := range m.closed {
		b.WriteTo(w)
		strandedBufs.Put(b)
	}
	m.closed = m.closed[:0]
}

// A dropper puts back what it reads, and nothing of what is left in the end.
type dropper struct {
	queue chan *bytes.Buffer
	ticks chan *bytes.Buffer
	stop  chan struct{}
}

func (d *dropper) fill(r io.Reader) error {
	for {
		buf := strandedBufs.Get().(*bytes.Buffer)
		buf.Reset()
		if _, err := io.CopyN(buf, r, 512); err != nil {
			strandedBufs.Put(buf)
			return err
		}
		d.queue <- buf
	}
}

func (d *dropper) next(w io.Writer) error {
	select {
	case buf := <-d.queue:
		_, err := w.Write(buf.Bytes())
		strandedBufs.Put(buf)
		return err
	case <-d.stop:
		return io.EOF
	}
}

// bad: what is left in the queue is dropped.
func (d *dropper) Close() error {
	close(d.stop)
	for {
		select {
		case <-d.queue: // want "OCT004: what comes out of queue is dropped here and not released"
		default:
			return nil
		}
	}
}

// bad: the oldest makes room, and is lost.
func (d *dropper) pushOver(p []byte) {
	buf := strandedBufs.Get().(*bytes.Buffer)
	buf.Reset()
	buf.Write(p)
	select {
	case d.queue <- buf:
	default:
		<-d.queue // want "OCT004: what comes out of queue is dropped here and not released"
		d.queue <- buf
	}
}

// ok: nothing that comes out of here is pooled.
func (d *dropper) wait() {
	d.ticks <- new(bytes.Buffer)
	<-d.ticks
}

// A bucket has idle buffers of its own.
type bucket struct{ idle chan *bytes.Buffer }

func (b *bucket) get() *bytes.Buffer {
	select {
	case buf := <-b.idle:
		return buf
	default:
		return new(bytes.Buffer)
	}
}

func (b *bucket) put(buf *bytes.Buffer) {
	buf.Reset()
	select {
	case b.idle <- buf:
	default:
	}
}

// ok: what is idle may be left to the collector.
func (b *bucket) trim() {
	select {
	case <-b.idle:
	default:
	}
}

func (b *bucket) copy(w io.Writer, r io.Reader) error {
	buf := b.get()
	defer b.put(buf)
	if _, err := buf.ReadFrom(r); err != nil {
		return err
	}
	_, err := buf.WriteTo(w)
	return err
}

// A shelf has buffers by name.
type shelf struct {
	mu    sync.Mutex
	bufs  map[string]*bytes.Buffer
	order []*bytes.Buffer
}

func newShelf() *shelf { return &shelf{bufs: make(map[string]*bytes.Buffer)} }

func (s *shelf) add(name string, p []byte) {
	buf := strandedBufs.Get().(*bytes.Buffer)
	buf.Reset()
	buf.Write(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bufs[name] = buf
}

func (s *shelf) remove(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if buf, ok := s.bufs[name]; ok {
		delete(s.bufs, name)
		strandedBufs.Put(buf)
	}
}

// bad: what is on the shelf is forgotten.
func (s *shelf) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bufs = make(map[string]*bytes.Buffer) // want "OCT004: what is in bufs is dropped here and not released"
}

// ok: it is put back first, by a function.
func (s *shelf) Close() error {
	s.removeAll()
	s.bufs = nil
	return nil
}

func (s *shelf) removeAll() {
	for name := range s.bufs {
		s.remove(name)
	}
}

func (s *shelf) push(p []byte) {
	buf := strandedBufs.Get().(*bytes.Buffer)
	buf.Reset()
	buf.Write(p)
	s.order = append(s.order, buf)
}

// ok: the list begins again where another took it over.
func (s *shelf) take() []*bytes.Buffer {
	list := s.order
	s.order = nil
	return list
}

func (s *shelf) flush(w io.Writer) {
	for _, buf := range s.take() {
		buf.WriteTo(w)
		strandedBufs.Put(buf)
	}
}

// A single has one buffer at a time.
type single struct {
	buf  *bytes.Buffer
	last *bytes.Buffer
}

func (s *single) write(p []byte) {
	if s.buf == nil {
		s.buf = strandedBufs.Get().(*bytes.Buffer)
		s.buf.Reset()
	}
	s.buf.Write(p)
}

func (s *single) flush(w io.Writer) error {
	_, err := s.buf.WriteTo(w)
	strandedBufs.Put(s.buf)
	s.buf = nil
	return err
}

// bad: what was not flushed is dropped.
func (s *single) Close() error {
	s.buf = nil // want "OCT004: what is in buf is dropped here and not released"
	return nil
}

func (s *single) keep(p []byte) {
	s.last = strandedBufs.Get().(*bytes.Buffer)
	s.last.Reset()
	s.last.Write(p)
}

// ok: who has asked for it puts it back.
func (s *single) Reset() { s.last = nil }

func (s *single) Last() *bytes.Buffer { return s.last }

func (s *single) giveUp() {
	strandedBufs.Put(s.last)
	s.last = nil
}

var lastBuf *bytes.Buffer

// ok: the program keeps it for good.
func keepLast(p []byte) {
	lastBuf = strandedBufs.Get().(*bytes.Buffer)
	lastBuf.Reset()
	lastBuf.Write(p)
}

func lastText() string { return lastBuf.String() }

// A memo is text that somebody else reads.
type memo struct{ text *bytes.Buffer }

func newMemo() *memo { return &memo{strandedBufs.Get().(*bytes.Buffer)} }

func (n *memo) Release() { strandedBufs.Put(n.text) }

type notary struct{ memos chan *memo }

// ok: whoever is given the channel releases what comes out of it.
func (n *notary) write(text string) {
	x := newMemo()
	x.text.Reset()
	x.text.WriteString(text)
	select {
	case n.memos <- x:
	default:
		x.Release()
	}
}

func readMemos(memos <-chan *memo) (length int) {
	for n := range memos {
		length += n.text.Len()
		n.Release()
	}
	return length
}
