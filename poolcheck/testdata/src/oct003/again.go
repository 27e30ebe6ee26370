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

func putText(b *bytes.Buffer) { texts.Put(b) }

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
