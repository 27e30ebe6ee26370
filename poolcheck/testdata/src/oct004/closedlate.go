package oct004

import (
	"bufio"
	"io"
	"os"
	"sync"
)

// A scanSource is a file with a reader out of a pool.
type scanSource struct {
	f *os.File
	r *bufio.Reader
}

var scanReaders = sync.Pool{New: func() any { return bufio.NewReader(nil) }}

type source interface {
	io.ReadCloser
	rewind() error
}

type noSource struct{}

func (noSource) Read([]byte) (int, error) { return 0, io.EOF }

func (noSource) Close() error { return nil }

func (noSource) rewind() error { return nil }

func openScan(name string) (source, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	r := scanReaders.Get().(*bufio.Reader)
	r.Reset(f)
	return &scanSource{f, r}, nil
}

func (s *scanSource) Read(p []byte) (int, error) { return s.r.Read(p) }

func (s *scanSource) rewind() error {
	_, err := s.f.Seek(0, io.SeekStart)
	return err
}

// bad: a file that does not close keeps the reader; whoever closes can do nothing about it
func (s *scanSource) Close() error {
	if err := s.f.Close(); err != nil {
		return err // want "OCT004: r is not released: Close does not release it"
	}
	scanReaders.Put(s.r)
	return nil
}

// ok: Close does what there is to do
func countScan(name string) (int64, error) {
	s, err := openScan(name)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if err := s.rewind(); err != nil {
		return 0, err
	}
	return io.Copy(io.Discard, s)
}

// bad: who cannot go back does not close
func countAgain(name string) (int64, error) {
	s, err := openScan(name) // want "OCT004: .* is not released on every path"
	if err != nil {
		return 0, err
	}
	if err := s.rewind(); err != nil {
		return 0, err
	}
	defer s.Close()
	return io.Copy(io.Discard, s)
}

// A scanLog keeps a line until it is written.
type scanLog struct {
	f    *os.File
	line *[]byte
}

var scanLines = sync.Pool{New: func() any { return new([]byte) }}

func (l *scanLog) flush() error {
	if _, err := l.f.Write(*l.line); err != nil {
		return err
	}
	scanLines.Put(l.line)
	return nil
}

// bad: flush is no end, so that it may leave the line for another try, which nobody makes
func logScan(f *os.File, name string) {
	line := scanLines.Get().(*[]byte) // want "OCT004: line is not released on every path"
	*line = append((*line)[:0], name...)
	l := &scanLog{f, line}
	defer l.flush()
	countScan(name)
}
