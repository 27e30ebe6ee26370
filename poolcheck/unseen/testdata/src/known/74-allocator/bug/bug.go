// Package bug reads the streams of a session from the frames that it receives.
package bug

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"sync"
	"sync/atomic"
)

const largest = 1 << 16

var errSize = errors.New("slice of a wrong size")

// An allocator has a pool for each power of two.
type allocator struct{ pools []sync.Pool }

func newAllocator() *allocator {
	a := &allocator{pools: make([]sync.Pool, 17)}
	for i := range a.pools {
		a.pools[i].New = func() any {
			p := make([]byte, 1<<i)
			return &p
		}
	}
	return a
}

// Get returns a slice of the length, whose capacity is a power of two.
func (a *allocator) Get(size int) *[]byte {
	if size <= 0 || size > largest {
		return nil
	}
	p := a.pools[bits.Len(uint(size-1))].Get().(*[]byte)
	*p = (*p)[:size]
	return p
}

// Put refuses slices of other capacities than Get returns.
func (a *allocator) Put(p *[]byte) error {
	if p == nil {
		return errSize
	}
	i := bits.Len(uint(cap(*p))) - 1
	if cap(*p) == 0 || cap(*p) > largest || cap(*p) != 1<<i {
		return errSize
	}
	a.pools[i].Put(p)
	return nil
}

var slices = newAllocator()

var errWait = errors.New("nothing to read yet")

type stream struct {
	id      uint32
	session *session

	mu      sync.Mutex
	buffers []*[]byte // what is not read yet
	heads   []*[]byte // what the buffers were received in

	read   uint32 // bytes
	window uint32 // bytes since the peer was told

	readable chan struct{}
	fin      chan struct{}
	die      chan struct{}
	dieOnce  sync.Once
}

func newStream(id uint32, s *session) *stream {
	return &stream{
		id:       id,
		session:  s,
		readable: make(chan struct{}, 1),
		fin:      make(chan struct{}),
		die:      make(chan struct{}),
	}
}

// push takes what p points to.
func (s *stream) push(p *[]byte) {
	s.mu.Lock()
	s.buffers = append(s.buffers, p)
	s.heads = append(s.heads, p)
	s.mu.Unlock()
	select {
	case s.readable <- struct{}{}:
	default:
	}
}

func (s *stream) Read(p []byte) (int, error) {
	for {
		n, err := s.tryRead(p)
		if err != errWait {
			return n, err
		}
		if err := s.wait(); err != nil {
			return 0, err
		}
	}
}

func (s *stream) tryRead(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n := 0
	s.mu.Lock()
	if len(s.buffers) > 0 {
		n = copy(p, *s.buffers[0])
		*s.buffers[0] = (*s.buffers[0])[n:]
		if len(*s.buffers[0]) == 0 {
			s.buffers[0] = nil
			s.buffers = s.buffers[1:]
			slices.Put(s.heads[0])
			s.heads = s.heads[1:]
		}
	}
	consumed := s.count(n)
	s.mu.Unlock()

	if n > 0 {
		s.session.returnTokens(n)
		if consumed > 0 {
			return n, s.session.sendWindow(s.id, consumed)
		}
		return n, nil
	}
	select {
	case <-s.die:
		return 0, io.EOF
	default:
		return 0, errWait
	}
}

// count returns what to tell the peer, or 0.
func (s *stream) count(n int) uint32 {
	s.read += uint32(n)
	s.window += uint32(n)
	if s.window < s.session.halfWindow && s.read != uint32(n) {
		return 0
	}
	s.window = 0
	return s.read
}

// WriteTo writes to w until the stream ends.
func (s *stream) WriteTo(w io.Writer) (int64, error) {
	var total int64
	for {
		var p *[]byte
		s.mu.Lock()
		if len(s.buffers) > 0 {
			p = s.buffers[0]
			s.buffers = s.buffers[1:]
			s.heads = s.heads[1:]
		}
		var consumed uint32
		if p != nil {
			consumed = s.count(len(*p))
		}
		s.mu.Unlock()

		if p == nil {
			if err := s.wait(); err != nil {
				return total, err
			}
			continue
		}
		n, err := w.Write(*p)
		s.session.returnTokens(len(*p))
		slices.Put(p)
		total += int64(n)
		if err != nil {
			return total, err
		}
		if consumed > 0 {
			if err := s.session.sendWindow(s.id, consumed); err != nil {
				return total, err
			}
		}
	}
}

func (s *stream) wait() error {
	select {
	case <-s.readable:
		return nil
	case <-s.fin:
		s.mu.Lock()
		defer s.mu.Unlock()
		if len(s.buffers) > 0 {
			return nil
		}
		return io.EOF
	case <-s.die:
		return io.ErrClosedPipe
	}
}

// recycle gives up what was not read, and returns how much it was.
func (s *stream) recycle() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for i, p := range s.buffers {
		n += len(*p)
		slices.Put(s.heads[i])
	}
	s.buffers, s.heads = nil, nil
	return n
}

func (s *stream) Close() error {
	s.dieOnce.Do(func() {
		close(s.die)
		s.session.closed(s)
	})
	return nil
}

type session struct {
	conn       io.ReadWriteCloser
	writing    sync.Mutex
	halfWindow uint32
	tokens     atomic.Int32
	more       chan struct{}

	mu      sync.Mutex
	streams map[uint32]*stream
}

func (s *session) returnTokens(n int) {
	if s.tokens.Add(int32(n)) > 0 {
		select {
		case s.more <- struct{}{}:
		default:
		}
	}
}

func (s *session) sendWindow(id, consumed uint32) error {
	var frame [8]byte
	binary.LittleEndian.PutUint32(frame[:], id)
	binary.LittleEndian.PutUint32(frame[4:], consumed)
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err := s.conn.Write(frame[:])
	return err
}

func (s *session) closed(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.returnTokens(st.recycle())
	delete(s.streams, st.id)
}

// receive reads the content of a frame for a stream.
func (s *session) receive(id uint32, size int) error {
	p := slices.Get(size)
	if p == nil {
		return errSize
	}
	n, err := io.ReadFull(s.conn, *p)
	if err != nil {
		slices.Put(p)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st, ok := s.streams[id]
	if !ok {
		slices.Put(p)
		return nil
	}
	st.push(p)
	s.tokens.Add(-int32(n))
	return nil
}
