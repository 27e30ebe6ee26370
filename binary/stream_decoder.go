package binary

import (
	"io"
	"math"
)

// A StreamDecoder reads values from an io.Reader through a buffer, in the byte
// order O.
//
// It reads ahead: what it took from the Reader and has not handed out is lost to
// others who read from it, unless they ask for it with Buffered. Where the Reader
// must be left behind the last value that was read, use [Reader]. It never waits for
// more than the value that is asked for: a method returns as soon as that has
// arrived. A length (Len8 and its like, Begin8 and its like) is a value of its own,
// so that a peer can be refused for the length that it announces.
//
// The methods are those of [Decoder] that make sense here, with the same sticky
// error. Slices are parts of the buffer and valid until the next call of any
// method. The end of a stream is not known: there is Len only in spans, and a
// length is not checked against what is left; instead, long content is read in
// chunks that grow with what has arrived. So memory stays within a small multiple
// of the input, whatever the lengths in it say. [Limit] bounds the input as a whole.
//
// A StreamDecoder must be made by [NewStreamDecoder] or prepared by Reset, and must
// not be copied or used by several goroutines at once. It allocates its buffer,
// strings and an error, and nothing else.
type StreamDecoder[O Order] struct {
	// d reads the window: the part of buf that was filled and lies within the
	// innermost span. Its offsets count from the beginning of buf.
	d Decoder[O]

	r      io.Reader
	rerr   error  // what r returned, or what stopped the reading; sticks
	buf    []byte // grows for a value that needs it
	filled int    // the part of buf that was read
	base   int64  // the offset of buf[0] in the stream
	end    int64  // where the innermost span ends, in the stream
	due    int64  // up to where a length has announced bytes, in the stream
	held   int    // marks for which what is read stays in buf
	from   int64  // where it stays from, in the stream; unless held is 0
	limit  int64  // how much may be read
	size   int    // of buf, unless it had to grow
	owner  uint32 // of the marks
	err    *Error // of d, with the offset in the stream
}

// NewStreamDecoder returns a decoder that reads from r:
//
//	d := binary.NewStreamDecoder[binary.Big](r, binary.Limit(1<<20))
//	id, name := d.Uint16(), d.String8()
//	err := d.Err()
func NewStreamDecoder[O Order](r io.Reader, opts ...DecoderOption) *StreamDecoder[O] {
	s := new(StreamDecoder[O])
	for _, o := range opts {
		switch o := o.(type) {
		case bufferSize:
			if o > 0 {
				s.size = max(int(o), minBuffer)
			}
		case limit:
			if o > 0 {
				s.limit = int64(o)
			}
		}
	}
	s.Reset(r)
	return s
}

// Reset makes the decoder read from r, as if it were new, with the limit that it
// has. What was read ahead is dropped.
func (s *StreamDecoder[O]) Reset(r io.Reader) {
	if s.size == 0 {
		s.size = defaultBuffer
	}
	if s.limit == 0 {
		s.limit = math.MaxInt64
	}
	if len(s.buf) < s.size || len(s.buf) > max(s.size, keepBuffer) {
		s.buf = make([]byte, s.size)
	}
	*s = StreamDecoder[O]{r: r, buf: s.buf, end: math.MaxInt64, limit: s.limit, size: s.size, owner: newOwner()}
	s.setWindow(0)
}

// with returns the decoder of the window, which holds n bytes more if the stream
// does. So each method below leaves both the value and the failure to Decoder.
func (s *StreamDecoder[O]) with(n int) *Decoder[O] {
	if s.d.Len() < n {
		s.load(n)
	}
	return &s.d
}

// load reads until n bytes are in the window, which has fewer, or as many as there
// are. It fails if the span or the limit leaves less.
func (s *StreamDecoder[O]) load(n int) {
	if s.over() || !s.room(uint64(n)) {
		return
	}
	off := s.slide(n)
	for s.filled < off+n && s.rerr == nil {
		if s.filled == len(s.buf) {
			// As much again as has arrived: a length alone allocates nothing.
			size := 2 * len(s.buf)
			if s.held == 0 {
				size = min(size, n)
			}
			s.buf = append(s.buf, make([]byte, size-len(s.buf))...)
		}
		s.read()
	}
	s.setWindow(uint64(off))
}

// slide moves what is in buf and is still needed to the beginning of it: what was not
// handed out, and what was since a mark for which it is held. It returns where the
// former begins, from where n bytes are wanted. A buffer that had to grow is given
// up for one of the usual size where that will do: one long value must not hold its
// memory for all short ones after it.
func (s *StreamDecoder[O]) slide(n int) (off int) {
	needed := s.d.off
	if s.held > 0 {
		needed = uint64(s.from - s.base)
	}
	rest := s.buf[needed:s.filled]
	off = int(s.d.off - needed)
	if len(s.buf) > max(s.size, keepBuffer) && max(off+n, len(rest)) <= s.size {
		s.buf = make([]byte, s.size)
	}
	s.base += int64(needed)
	s.filled = copy(s.buf, rest)
	return off
}

// setWindow shows d what is in buf, up to the end of the span, from off on.
func (s *StreamDecoder[O]) setWindow(off uint64) {
	s.d.in = newInput(s.buf)
	s.d.n = uint64(min(int64(s.filled), s.end-s.base))
	s.d.off = off
}

// read reads what r has into the free part of buf, which is not empty, within the
// limit.
func (s *StreamDecoder[O]) read() {
	free := s.buf[s.filled:]
	if left := s.limit - s.base - int64(s.filled); int64(len(free)) > left {
		free = free[:left]
	}
	s.filled += s.readInto(free)
}

// readInto reads into p, once unless the reader returns nothing, and keeps the
// error.
func (s *StreamDecoder[O]) readInto(p []byte) int {
	for range 100 {
		n, err := s.r.Read(p)
		if n < 0 || n > len(p) {
			n, err = 0, errReadCount
		}
		s.rerr = err
		if n > 0 || err != nil {
			return n
		}
	}
	s.rerr = io.ErrNoProgress
	return 0
}

// whole completes the error, if there is one, of a value of n bytes at the offset
// at that was read in parts.
func (s *StreamDecoder[O]) whole(at int64, n int) {
	if s.d.ok() {
		return
	}
	s.Err()
	s.err.Have += s.err.Offset - at
	s.err.Offset, s.err.Want = at, int64(n)
	if s.err.Have > 0 {
		s.err.unexpected()
	}
}

// Err returns what was wrong, as an [*Error], or nil. An error of the Reader shows
// when there is too little for a value because of it, not before.
func (s *StreamDecoder[O]) Err() error {
	if s.d.ok() {
		return nil
	}
	if s.err == nil {
		s.err = s.d.failure()
		s.err.Offset += s.base
		short := s.err.Err == io.EOF || s.err.Err == io.ErrUnexpectedEOF
		bounded := s.base+int64(s.d.n) == s.end
		if short && !bounded && s.rerr != nil && s.rerr != io.EOF {
			s.err.Err = s.rerr
		}
		if s.err.Offset < min(s.due, s.end) {
			s.err.unexpected()
		}
	}
	return s.err
}

// Done returns what Err returns, or an [ErrTrailing] if the span or the stream goes
// on; it reads ahead to know.
func (s *StreamDecoder[O]) Done() error {
	if s.More() {
		return &Error{Offset: s.Offset(), Field: s.d.name(), Have: int64(s.d.Len()), Err: ErrTrailing}
	}
	return s.Err()
}

// Fail makes the decoder fail here, for a reason of the caller's; see
// [Decoder.Fail].
func (s *StreamDecoder[O]) Fail(err error) { s.d.Fail(err) }

// Field gives the reads that follow a name, for the error; see [Decoder.Field].
func (s *StreamDecoder[O]) Field(name string) *StreamDecoder[O] {
	s.d.Field(name)
	return s
}

// Offset returns how many bytes were read; after a failure, where the read began
// that failed.
func (s *StreamDecoder[O]) Offset() int64 {
	if s.d.ok() {
		return s.base + int64(s.d.off)
	}
	s.Err() // of a value read in parts, d knows only where the last part began
	return s.err.Offset
}

// Buffered returns what was read ahead, beyond the span too, without a copy.
func (s *StreamDecoder[O]) Buffered() []byte { return s.buf[s.d.off&offMask : s.filled] }

// More reports whether there is another byte before the end of the span, or of the
// stream; it reads ahead to know. It is false after a failure, and if the Reader,
// the limit or the end of the stream inside a span stops it, which is a failure
// then: ask for Err after the loop.
func (s *StreamDecoder[O]) More() bool {
	if s.d.Len() > 0 {
		return true
	}
	if !s.d.ok() || s.Offset() == s.end {
		return false
	}
	s.load(1)
	if s.d.Len() == 0 && (s.rerr != io.EOF || s.end < math.MaxInt64) {
		s.d.need(1) // fails, with the Reader's error or for the rest of the span
	}
	return s.d.Len() > 0
}

// Len returns how many bytes are left in the innermost span, -1 if there is none,
// and 0 after a failure.
func (s *StreamDecoder[O]) Len() int {
	switch {
	case !s.d.ok():
		return 0
	case s.end == math.MaxInt64:
		return -1
	}
	return int(s.end - s.Offset())
}

// room fails if the span or the limit leaves less than n bytes. It reads nothing.
func (s *StreamDecoder[O]) room(n uint64) bool {
	if !s.d.ok() {
		return false
	}
	left := uint64(min(s.end, s.limit) - s.Offset())
	if n <= min(left, math.MaxInt) {
		return true
	}
	e := &Error{Offset: int64(s.d.off), Want: int64(n), Have: int64(left)}
	switch {
	case n <= left, n > math.MaxInt64, s.end == s.limit && s.limit == math.MaxInt64:
		// Too much for a slice; a negative length; beyond any offset.
		e.Want, e.Have, e.Err = 0, 0, ErrOverflow
	case s.end > s.limit:
		e.Err = ErrLimit
	case left == 0:
		e.Err = io.EOF
	default:
		e.Err = io.ErrUnexpectedEOF
	}
	s.d.fail(e)
	return false
}

// within is room for n > 0 bytes that are about to be read, and fails as well if the
// stream is over.
func (s *StreamDecoder[O]) within(n int) bool {
	if s.over() {
		return s.d.need(uint64(n))
	}
	return s.room(uint64(n))
}

// over reports whether the stream ends where the limit is reached. Bytes behind the
// limit are asked for: the Reader may have to be asked.
func (s *StreamDecoder[O]) over() bool {
	if !s.d.ok() || s.Offset() < s.limit || s.limit >= s.end {
		return false
	}
	var one [1]byte
	return s.rerr != nil || s.readInto(one[:]) == 0
}

// length returns n, the value of a length prefix, if there is room for that. It does
// not wait for the content. From here on the end of the stream is no io.EOF: some of
// the value, its length, was there.
func (s *StreamDecoder[O]) length(n uint64) int {
	switch {
	case !s.d.ok():
	case !s.room(n):
		s.d.failure().unexpected()
	default:
		s.due = max(s.due, s.Offset()+int64(n))
		return int(n)
	}
	return 0
}
