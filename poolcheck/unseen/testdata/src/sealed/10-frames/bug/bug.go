// Package bug takes the packets of a media stream as they arrive and gives them
// to the one who forwards them. The bytes wait in a ring and may be overwritten
// there; what was learned of a packet waits in a queue.
package bug

import (
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"time"
)

const (
	slots    = 256
	slotSize = 1500
	headSize = 8
)

var (
	errShort = errors.New("packet is too short")
	errGone  = errors.New("packet was overwritten")
)

// A frame is what the stream knows of a packet.
type frame struct {
	seq     uint16
	at      time.Time
	size    int
	layers  []uint8
	raw     []byte
	payload []byte
}

var frames = sync.Pool{New: func() any { return &frame{} }}

// A ring has the last packets, by their sequence numbers.
type ring struct {
	seqs  [slots]uint16
	sizes [slots]int
	data  [slots][slotSize]byte
}

func (r *ring) add(seq uint16, p []byte) bool {
	if len(p) > slotSize {
		return false
	}
	i := int(seq) % slots
	r.seqs[i] = seq
	r.sizes[i] = copy(r.data[i][:], p)
	return true
}

func (r *ring) get(buf []byte, seq uint16) (int, error) {
	i := int(seq) % slots
	if r.sizes[i] == 0 || r.seqs[i] != seq {
		return 0, errGone
	}
	if len(buf) < r.sizes[i] {
		return 0, io.ErrShortBuffer
	}
	return copy(buf, r.data[i][:r.sizes[i]]), nil
}

type stream struct {
	mu     sync.Mutex
	more   *sync.Cond
	closed bool
	ring   ring
	queue  []*frame
	lost   int
}

func newStream() *stream {
	s := &stream{}
	s.more = sync.NewCond(&s.mu)
	return s
}

// push takes a packet that has arrived. The bytes remain those of the caller.
func (s *stream) push(p []byte) error {
	if len(p) < headSize {
		return errShort
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return io.ErrClosedPipe
	}
	seq := binary.BigEndian.Uint16(p[2:])
	if !s.ring.add(seq, p) {
		return io.ErrShortBuffer
	}
	s.queue = append(s.queue, s.inspect(seq, p))
	s.more.Broadcast()
	return nil
}

func (s *stream) inspect(seq uint16, p []byte) *frame {
	f := frames.Get().(*frame)
	*f = frame{seq: seq, at: time.Now(), size: len(p) - headSize}
	for bit := uint8(0); bit < 8; bit++ {
		if p[1]&(1<<bit) != 0 {
			f.layers = append(f.layers, bit)
		}
	}
	return f
}

// next waits for a packet and reads it into buf. The caller releases the frame.
func (s *stream) next(buf []byte) (*frame, error) {
	s.mu.Lock()
	for {
		if s.closed {
			s.mu.Unlock()
			return nil, io.EOF
		}
		if len(s.queue) > 0 {
			f := s.queue[0]
			s.queue = s.queue[1:]
			f = s.attach(f, buf)
			if f == nil {
				continue
			}
			s.mu.Unlock()
			return f, nil
		}
		s.more.Wait()
	}
}

// attach reads the packet of a frame into buf, and returns nil if that is no
// longer possible.
func (s *stream) attach(f *frame, buf []byte) *frame {
	n, err := s.ring.get(buf, f.seq)
	if err != nil {
		s.lost++
		return nil
	}
	f.raw = buf[:n]
	end := headSize + f.size
	if end > n {
		s.lost++
		return nil
	}
	f.payload = buf[headSize:end]
	return f
}

func (s *stream) release(f *frame) {
	*f = frame{}
	frames.Put(f)
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	for _, f := range s.queue {
		s.release(f)
	}
	s.queue = nil
	s.more.Broadcast()
}

// forward writes the packets of the lower layers until the stream ends.
func forward(s *stream, w io.Writer, highest uint8) error {
	buf := make([]byte, slotSize)
	for {
		f, err := s.next(buf)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		wanted := len(f.layers) == 0
		for _, layer := range f.layers {
			wanted = wanted || layer <= highest
		}
		if wanted {
			_, err = w.Write(f.raw)
		}
		s.release(f)
		if err != nil {
			return err
		}
	}
}
