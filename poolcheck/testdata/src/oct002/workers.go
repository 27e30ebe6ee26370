package oct002

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// A stream is parsed block by block, each by a worker. There are so many paths through
// Parse that it is not known any more which work was given to a worker when it returns.
type stream struct {
	r          io.Reader
	buf, tail  []byte
	err, other error
	wg         sync.WaitGroup
	mu         sync.Mutex
}

type work struct {
	s    *stream
	f    func([]byte) error
	buf  []byte
	rows [][]byte
}

var streams, works sync.Pool

func getStream(r io.Reader) *stream {
	if v := streams.Get(); v != nil {
		s := v.(*stream)
		s.r = r
		return s
	}
	return &stream{r: r}
}

func putStream(s *stream) {
	s.r, s.buf, s.tail, s.err, s.other = nil, s.buf[:0], s.tail[:0], nil, nil
	streams.Put(s)
}

func getWork() *work {
	v := works.Get()
	if v == nil {
		return &work{}
	}
	return v.(*work)
}

func putWork(w *work) {
	w.s, w.f, w.buf, w.rows = nil, nil, w.buf[:0], w.rows[:0]
	works.Put(w)
}

type unit interface{ Do() }

var queue = make(chan unit, 8)

func (w *work) Do() {
	for _, row := range bytes.Split(w.buf, []byte{'\n'}) {
		if len(row) > 0 {
			w.rows = append(w.rows, row)
		}
	}
	s := w.s
	if err := w.f(w.buf); err != nil {
		s.mu.Lock()
		if s.other == nil {
			s.other = err
		}
		s.mu.Unlock()
	}
	putWork(w)
	s.wg.Done()
}

func (s *stream) failed() bool {
	s.mu.Lock()
	ok := s.other != nil
	s.mu.Unlock()
	return ok
}

func (s *stream) Read() bool {
	if s.err != nil || s.failed() {
		return false
	}
	s.buf, s.tail, s.err = lines(s.r, s.buf, s.tail)
	if s.err != nil {
		if s.err != io.EOF {
			s.err = errors.New("cannot read: " + s.err.Error())
		}
		return false
	}
	return true
}

func lines(r io.Reader, buf, tail []byte) ([]byte, []byte, error) {
	if cap(buf) < 64 {
		buf = make([]byte, 0, 64)
	}
	buf = append(buf[:0], tail...)
	tail = tail[:0]
again:
	n, err := r.Read(buf[len(buf):cap(buf)])
	if err != nil {
		if err == io.EOF && len(buf) > 0 {
			return buf, tail, nil
		}
		return buf, tail, err
	}
	buf = buf[:len(buf)+n]
	nn := bytes.LastIndexByte(buf, '\n')
	if nn < 0 {
		if len(buf) > 4096 {
			return buf, tail, errors.New("too long")
		}
		if cap(buf) < 2*len(buf) {
			buf = append(make([]byte, 0, 2*len(buf)), buf...)
		}
		goto again
	}
	tail = append(tail, buf[nn+1:]...)
	return buf[:nn], tail, nil
}

func (s *stream) Error() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
}

// ok: the stream goes back when its workers have been waited for.
func Parse(r io.Reader, zip bool, f func([]byte) error) error {
	if zip {
		z, err := open(r)
		if err != nil {
			return err
		}
		defer shut(z)
		r = z
	}
	s := getStream(r)
	defer putStream(s)
	for s.Read() {
		w := getWork()
		w.s = s
		w.f = f
		w.buf, s.buf = s.buf, w.buf
		s.wg.Add(1)
		queue <- w
	}
	s.wg.Wait()
	if err := s.Error(); err != nil {
		return err
	}
	return s.other
}

type unzip struct{ io.Reader }

var zips sync.Pool

func open(r io.Reader) (*unzip, error) {
	if v := zips.Get(); v != nil {
		z := v.(*unzip)
		z.Reader = r
		return z, nil
	}
	if r == nil {
		return nil, errors.New("nothing")
	}
	return &unzip{r}, nil
}

func shut(z *unzip) { zips.Put(z) }
