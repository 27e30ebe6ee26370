package oct003

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/octet-go/octet/bytespool/buffer"
)

var (
	byteReaders = sync.Pool{New: func() any { return new(bytes.Reader) }}
	texts       = sync.Pool{New: func() any { return new(bytes.Buffer) }}
)

// A source puts its reader back at the end. Its methods have a value receiver.
type source struct {
	r    *bytes.Reader
	pool *sync.Pool
}

// bad: whoever reads once more puts it once more.
func (s source) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err == io.EOF {
		s.r.Reset(nil)
		s.pool.Put(s.r) // want "OCT003: s is released by each call of Read, also after the end"
	}
	return n, err
}

// bad: Close may be called twice.
func (s source) Close() error {
	s.pool.Put(s.r) // want "OCT003: s is released by each call of Close, a value receiver cannot forget it"
	return nil
}

// A text has its buffer, and its methods have a pointer.
type text struct {
	b    *bytes.Buffer
	once sync.Once
	done int32
	shut bool
}

// bad: the field still leads to the buffer at the end.
func (t *text) Read(p []byte) (n int, err error) {
	n, err = t.b.Read(p)
	if err != nil {
		texts.Put(t.b) // want "OCT003: t.b is released by each call of Read, also after the end"
	}
	return n, err
}

// A selfish reader puts itself, as that of an encoding does.
type selfish struct {
	bytes.Reader
	pool *sync.Pool
}

// bad: it cannot forget itself.
func (s *selfish) Read(p []byte) (n int, err error) {
	n, err = s.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		s.pool.Put(s) // want "OCT003: s is released by each call of Read, also after the end"
	}
	return n, err
}

// A wrapped reader passes the reads on.
type wrapped struct{ *bytes.Reader }

// bad: a helper puts.
func (w wrapped) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if err == io.EOF {
		putReader(w.Reader) // want "OCT003: w is released by each call of Read, also after the end"
	}
	return n, err
}

func putReader(r *bytes.Reader) { byteReaders.Put(r) }

// bad: a helper puts, in a deferred literal.
func (w wrapped) Close() error {
	defer func() {
		putReader(w.Reader) // want "OCT003: w is released by each call of Close, a value receiver cannot forget it"
	}()
	return nil
}

// A just gives one value to its subscriber.
type just struct {
	state int32
	value int
	flag  atomic.Bool
	next  func(int)
}

var justs = sync.Pool{New: func() any { return new(just) }}

// bad: also the calls that are turned away put it back.
func (j *just) Request(n int) {
	if n < 1 {
		panic("n < 1")
	}
	defer func() {
		justs.Put(j) // want "OCT003: j is released by each call of Request, also by those that it turns away later"
	}()
	if !atomic.CompareAndSwapInt32(&j.state, 0, 1) {
		return
	}
	j.next(j.value)
}

// bad: so it is with a method of the flag.
func (j *just) Cancel() {
	defer justs.Put(j) // want "OCT003: j is released by each call of Cancel, also by those that it turns away later"
	if !j.flag.CompareAndSwap(false, true) {
		return
	}
	j.next(0)
}

// bad: what a field has is put, by a helper, and the first call does the work.
func (t *text) Finish(w io.Writer) (err error) {
	defer putText(t.b) // want "OCT003: t.b is released by each call of Finish, also by those that it turns away later"
	if atomic.CompareAndSwapInt32(&t.done, 0, 1) {
		_, err = t.b.WriteTo(w)
		return err
	}
	return nil
}

func putText(b *bytes.Buffer) { texts.Put(b) }

// A sink forgets, in one way or another.
type sink struct {
	b     *bytes.Buffer
	r     *bytes.Reader
	state int32
	ended bool
	once  sync.Once
}

// ok: only the first call puts.
func (s *sink) Close() error {
	if !atomic.CompareAndSwapInt32(&s.state, 0, 1) {
		return nil
	}
	defer texts.Put(s.b)
	return nil
}

// A flagged reader has a flag.
type flagged struct {
	r     *bytes.Reader
	ended bool
}

// ok: a flag tells that the end was there before.
func (f *flagged) Read(p []byte) (int, error) {
	if f.ended {
		return 0, io.EOF
	}
	n, err := f.r.Read(p)
	if err == io.EOF {
		f.ended = true
		byteReaders.Put(f.r)
	}
	return n, err
}

// A guarded value shares its flag with its copies.
type guarded struct {
	b    *bytes.Buffer
	done *atomic.Bool
	once *sync.Once
}

// ok: the flag is behind a pointer.
func (g guarded) Close() error {
	if g.done.Swap(true) {
		return nil
	}
	texts.Put(g.b)
	return nil
}

// A body has a Buffer that counts its references.
type body struct {
	io.Reader
	buf *buffer.Buffer
}

// ok: the Buffer knows that it was released.
func (b body) Close() error {
	b.buf.Release()
	return nil
}

// A handle is given back by name, once, as its users know.
type handle struct{ b *bytes.Buffer }

// A sheet is written, and not read.
type sheet struct{ b *bytes.Buffer }
