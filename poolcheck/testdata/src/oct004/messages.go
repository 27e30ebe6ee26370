package oct004

import (
	"errors"
	"io"
	"log"
	"net"
	"sync"
	"sync/atomic"
)

// A letter is sent by value, with its buffer.
type letter struct {
	buf  *[]byte
	n    int
	from net.Addr
}

var letterBufs = sync.Pool{New: func() any { p := make([]byte, 1500); return &p }}

type post struct {
	conn    net.PacketConn
	letters chan letter
	later   chan letter
	waiting map[string]letter
	accept  func(letter) bool
	stop    chan struct{}
}

func (p *post) listen() error {
	for {
		buf := letterBufs.Get().(*[]byte)
		n, from, err := p.conn.ReadFrom(*buf)
		if err != nil {
			letterBufs.Put(buf)
			return err
		}
		p.letters <- letter{buf, n, from}
	}
}

// bad: a letter that cannot be answered is lost.
func (p *post) answer() {
	for l := range p.letters { // want "OCT004: l.buf is not released on every path"
		if _, err := p.conn.WriteTo((*l.buf)[:l.n], l.from); err != nil {
			log.Print(err)
			continue
		}
		letterBufs.Put(l.buf)
	}
}

var errShortLetter = errors.New("letter too short")

// bad: so is one that is too short.
func (p *post) read(dst []byte) (int, error) {
	select {
	case l := <-p.letters: // want "OCT004: .*buf is not released on every path"
		if l.n < 4 {
			return 0, errShortLetter
		}
		n := copy(dst, (*l.buf)[:l.n])
		letterBufs.Put(l.buf)
		return n, nil
	case <-p.stop:
		return 0, io.EOF
	}
}

// ok: the function that is given the letter puts it back, or loses it.
func (p *post) serve() {
	for {
		l, ok := <-p.letters
		if !ok {
			return
		}
		p.handle(l)
	}
}

// bad: nobody else has the letter.
func (p *post) handle(l letter) { // want "OCT004: .*buf is not released on every path"
	if (*l.buf)[0] == 0 {
		return
	}
	p.conn.WriteTo((*l.buf)[:l.n], l.from)
	letterBufs.Put(l.buf)
}

// ok: what is not answered at once is answered later.
func (p *post) answerOrDelay() {
	for l := range p.letters {
		if l.n > 512 {
			p.later <- l
			continue
		}
		p.conn.WriteTo((*l.buf)[:l.n], l.from)
		letterBufs.Put(l.buf)
	}
}

// ok: it waits in a map.
func (p *post) answerOrWait() {
	l := <-p.letters
	if l.n == 0 {
		p.waiting[l.from.String()] = l
		return
	}
	p.conn.WriteTo((*l.buf)[:l.n], l.from)
	letterBufs.Put(l.buf)
}

// ok: somebody else may take it.
func (p *post) offer() {
	for l := range p.letters {
		if p.accept(l) {
			continue
		}
		letterBufs.Put(l.buf)
	}
}

// ok: there is none.
func (p *post) skipEmpty() {
	for l := range p.letters {
		if l.buf == nil {
			continue
		}
		letterBufs.Put(l.buf)
	}
}

// ok: the caller puts it back.
func (p *post) next() (letter, error) {
	l, ok := <-p.letters
	if !ok {
		return letter{}, io.EOF
	}
	if l.n < 4 {
		letterBufs.Put(l.buf)
		return letter{}, errShortLetter
	}
	return l, nil
}

// ok: a part of it goes on alone.
func (p *post) forward(out chan<- *[]byte) {
	for l := range p.letters {
		if l.n < 4 {
			letterBufs.Put(l.buf)
			continue
		}
		out <- l.buf
	}
}

// bad: letters that nobody has read are dropped with their buffers.
func (p *post) close() {
	close(p.stop)
	for {
		select {
		case <-p.letters: // want "OCT004: what comes out of letters is dropped here and not released"
		default:
			return
		}
	}
}

// An exam is counted, and sent with a note that is nobody's to give back.
type exam struct {
	refs  atomic.Int32
	pages *[]byte
}

func newExam() *exam {
	e := &exam{pages: letterBufs.Get().(*[]byte)}
	e.refs.Store(1)
	return e
}

func (e *exam) release() {
	if e.refs.Add(-1) == 0 {
		letterBufs.Put(e.pages)
		e.pages = nil
	}
}

type handIn struct {
	exam *exam
	note []byte
	err  error
}

func collect(conn net.PacketConn, out chan<- handIn) {
	defer close(out)
	for {
		e := newExam()
		if _, _, err := conn.ReadFrom(*e.pages); err != nil {
			e.release()
			out <- handIn{err: err}
			return
		}
		out <- handIn{exam: e}
	}
}

// ok: with an error comes no exam.
func grade(w io.Writer, in <-chan handIn) error {
	defer func() {
		for h := range in {
			if h.exam != nil {
				h.exam.release()
			}
		}
	}()
	for h := range in {
		if h.err != nil {
			return h.err
		}
		_, err := w.Write(append(h.note, *h.exam.pages...))
		h.exam.release()
		if err != nil {
			return err
		}
	}
	return nil
}

// bad: what cannot be written is lost.
func gradeSome(w io.Writer, in <-chan handIn) error {
	for h := range in { // want "OCT004: h.exam is not released on every path"
		if h.err != nil {
			return h.err
		}
		if _, err := w.Write(append(h.note, *h.exam.pages...)); err != nil {
			return err
		}
		h.exam.release()
	}
	return nil
}
