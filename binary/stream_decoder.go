package binary

import (
	"io"
	"math"
	"slices"
)

// A StreamDecoder reads values from an io.Reader through a buffer, in the byte order O.
//
// It reads ahead: bytes that it took from the Reader but has not returned are missing
// for anybody else who reads from there. Others can read from the decoder itself, which
// is an [io.Reader] and an [io.ByteReader]. The standard library's
// decompressors and image decoders take only their own bytes from such a Reader, except
// that image/jpeg has a buffer, and that bzip2, and gzip unless told otherwise, look for
// another file behind the first. Limit these by a span.
//
// A method waits only for the bytes that it was asked for, and returns as soon as they
// have arrived. A length, as read by Len8 and Begin8 and their kin, is a value of its
// own. So a server can reject a frame after reading nothing but its length.
//
// The methods and the sticky error are those of [Decoder], with these differences.
// Slices are parts of the buffer, and valid until the next call of any method but Err, Len and
// Offset: poolcheck reports what is used or kept longer. Since
// the end of a stream is not known in advance, Len counts bytes only inside a span,
// and a length is checked only against the span and the limit. Long content is read in
// chunks that grow with what has arrived, so the memory needed is a small multiple of
// the input, whatever lengths the input claims. [Limit] bounds the input as a whole, and Next each message.
// Peek returns an error too, as that of a [bufio.Reader] does.
//
// A StreamDecoder must be made by [NewStreamDecoder] or prepared by Reset. It must not
// be copied, nor used by several goroutines at once. It allocates only its buffer,
// strings and its error.
type StreamDecoder[O Order] struct {
	// d reads the window, which is the filled part of buf as far as it lies within
	// the innermost span. Its offsets count from the beginning of buf. Its order is
	// not O, but that of with, so that pointers can be converted.
	d LEDecoder

	r      io.Reader
	rerr   error    // the first error of r; nothing is read after it
	buf    []byte   // grows for a long value, or for marks
	filled int      // how much of buf has been read into
	base   int64    // the offset of buf[0] in the stream, from which the next two count as well
	end    int64    // where the innermost span ends; MaxInt64 if there is none
	due    int64    // where the content ends that lengths have announced
	limit  int64    // how much may be read, in all and of the message
	total  int64    // how much may be read in all
	size   int      // the size of buf, unless it had to grow
	holds  []int64  // the offsets from which bytes must stay in buf, one a mark, the oldest first
	few    [4]int64 // the array of holds, unless there are more
	owner  uint32   // of the marks
	strict bool     // whether varints must be canonical
	cut    bool     // whether err came because r had no more bytes
	err    *Error   // the error of d, with the offset in the stream
}

// NewStreamDecoder returns a decoder that reads from r, with a buffer of 4,096 bytes
// and without a limit unless [BufferSize] and [Limit] say otherwise:
//
//	d := binary.NewStreamDecoder[binary.Big](r, binary.BufferSize(64<<10))
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
				s.total = int64(o)
			}
		}
	}
	s.Reset(r)
	return s
}

// Reset drops what was read ahead and makes the decoder read from r, as if it were
// new. It keeps the buffer and the limit, which counts from the beginning again.
func (s *StreamDecoder[O]) Reset(r io.Reader) {
	if s.size == 0 {
		s.size = defaultBuffer
	}
	if s.total == 0 {
		s.total = math.MaxInt64
	}
	if len(s.buf) < s.size || len(s.buf) > max(s.size, keepBuffer) {
		s.buf = make([]byte, s.size)
	}
	*s = StreamDecoder[O]{r: r, buf: s.buf, end: math.MaxInt64, limit: s.total, total: s.total, size: s.size, owner: newOwner()}
	s.holds = s.few[:0]
	s.setWindow(0)
}

// with returns the decoder of the window after loading n bytes into it. If the stream
// has fewer, the decoder's own read will fail, so the methods below leave both the
// value and the failure to it.
func (s *StreamDecoder[O]) with(n int) *Decoder[O] {
	if s.d.Len() < n {
		s.load(n)
	}
	return (*Decoder[O])(&s.d)
}

// load reads until the window has n bytes, or the stream ends. It fails if the span or
// the limit leaves fewer.
func (s *StreamDecoder[O]) load(n int) {
	if s.over() || !s.room(int64(n)) {
		return
	}
	off := s.slide(n)
	for s.filled-off < n && s.rerr == nil {
		if s.filled == len(s.buf) {
			// Allocate in proportion to what has arrived, not to a length. If each read
			// asks for a byte more, as with Peek, most must not call r.
			more := min(len(s.buf), math.MaxInt-len(s.buf))
			s.buf = append(s.buf, make([]byte, more)...)
		}
		s.read()
	}
	s.setWindow(uint64(off))
}

// slide moves the bytes of buf that are still needed to its beginning: those that are
// unread, and those that are held for marks. It returns the index of the first unread
// byte, from which n bytes are wanted. A buffer that had to grow is replaced by one of
// the usual size if that suffices; see keepBuffer.
func (s *StreamDecoder[O]) slide(n int) (off int) {
	needed := s.d.off
	if len(s.holds) > 0 {
		needed = uint64(s.holds[0] - s.base)
	}
	rest := s.buf[needed:s.filled]
	off = int(s.d.off - needed)
	if len(s.buf) > max(s.size, keepBuffer) && n <= s.size-off && len(rest) <= s.size {
		s.buf = make([]byte, s.size)
	}
	s.base += int64(needed)
	s.filled = copy(s.buf, rest)
	return off
}

// setWindow makes d read buf from off on, as far as it is filled and within the span and the limit.
func (s *StreamDecoder[O]) setWindow(off uint64) {
	s.d.in = newInput(s.buf)
	s.d.n = uint64(min(int64(s.filled), min(s.end, s.limit)-s.base))
	s.d.off = off
}

// read calls r to fill the free part of buf, within the limit. There must be room.
func (s *StreamDecoder[O]) read() {
	free := s.buf[s.filled:]
	if left := s.limit - s.base - int64(s.filled); int64(len(free)) > left {
		free = free[:left]
	}
	s.filled += s.readInto(free)
}

// readInto calls r until it returns a byte or an error, and notes the error.
func (s *StreamDecoder[O]) readInto(p []byte) int {
	for range 100 {
		n, err := s.r.Read(slices.Clip(p))
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

// direct is Read into p, without buf. The window must be used up, and nothing be held. It
// returns 0 if the span or the limit leaves nothing, or r has no more.
func (s *StreamDecoder[O]) direct(p []byte) int {
	if left := min(s.end, s.limit) - s.Offset(); int64(len(p)) > left {
		p = p[:left]
	}
	if len(p) == 0 || s.rerr != nil {
		return 0
	}
	n := s.readInto(p)
	s.base += int64(s.filled + n)
	s.filled = 0
	s.setWindow(0)
	return n
}

// whole corrects the error, if there is one, after a value of n bytes was read in
// parts from the offset at on: the error of a part becomes that of the value.
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

// Err returns the first failure, as an [*Error], or nil. An error of the Reader is
// reported only once a value is incomplete because of it.
func (s *StreamDecoder[O]) Err() error {
	if s.d.ok() {
		return nil
	}
	if s.err == nil {
		s.err = s.d.failure()
		s.err.Offset += s.base
		short := s.err.Err == io.EOF || s.err.Err == io.ErrUnexpectedEOF
		bounded := s.base+int64(s.d.n) == s.end
		s.cut = short && !bounded && s.rerr != nil
		if s.cut && s.rerr != io.EOF {
			s.err.Err = s.rerr
		}
		if s.err.Offset < min(s.due, s.end) {
			s.err.unexpected()
		}
	}
	return s.err
}

// Resume clears a failure that came because the Reader had no more bytes, so that the
// program can go on, for example after it has moved a deadline. Everything is as it was
// before the read that failed: Offset is where that read began, what had arrived is in
// the buffer, and spans and marks are open. The program makes the read again, and the
// Reader is called again.
//
// Resume returns nil if the decoder has not failed any more. It returns the failure, and
// leaves it, if it has another reason, or if a read has already consumed a part: AppendBytes,
// Copy, Skip and ReadNumbers do so with content that is larger than the buffer. Methods
// that read a length and its content, such as Bytes16, have read the length by then; call
// Len16 and Bytes instead.
func (s *StreamDecoder[O]) Resume() error {
	if err := s.Err(); err != nil {
		at := s.d.off & offMask
		if !s.cut || s.err.Offset != s.base+int64(at) {
			return err
		}
		s.d.off, s.d.size, s.d.note = at, 0, s.err.Field
		s.cut, s.err = false, nil
		if s.strict {
			s.d.Canonical()
		}
	}
	s.rerr = nil
	return nil
}

// Done is Err for the end of the input: if the decoder has not failed but the span or
// the stream has more bytes, it returns an [*Error] that wraps [ErrTrailing]. It waits
// for the next byte or the end of the stream.
func (s *StreamDecoder[O]) Done() error {
	if s.More() {
		return &Error{Offset: s.Offset(), Field: s.d.name(), Have: int64(s.d.Len()), Err: ErrTrailing}
	}
	return s.Err()
}

// Fail makes the decoder fail with the caller's error; see [Decoder.Fail].
func (s *StreamDecoder[O]) Fail(err error) {
	s.d.Fail(err)
}

// Field names the reads that follow, until the next Field; see [Decoder.Field].
func (s *StreamDecoder[O]) Field(name string) *StreamDecoder[O] {
	s.d.Field(name)
	return s
}

// Canonical makes all later varints fail, until Reset, that are longer than necessary;
// see [Decoder.Canonical].
func (s *StreamDecoder[O]) Canonical() {
	s.strict = true
	s.d.Canonical()
}

// Offset returns the number of bytes read. After a failure it returns the offset at
// which the failed read began.
func (s *StreamDecoder[O]) Offset() int64 {
	if s.d.ok() {
		return s.base + int64(s.d.off)
	}
	s.Err() // of a value that was read in parts, d only knows the last part
	return s.err.Offset
}

// More reports whether the span, or the stream if no span is open, has another byte.
// It waits for that byte or the end of the stream. If the Reader returns an error, the
// limit is exceeded, or the stream ends inside a span, the decoder fails, and More
// returns false. So call Err after a loop that ends with More.
func (s *StreamDecoder[O]) More() bool {
	if s.d.Len() > 0 {
		return true
	}
	if !s.d.ok() || s.Offset() == s.end {
		return false
	}
	s.load(1)
	if s.d.Len() == 0 && (s.rerr != io.EOF || s.end < math.MaxInt64) {
		s.d.need(1) // fails
	}
	return s.d.Len() > 0
}

// Next begins a message of at most limit bytes, and reports, as [StreamDecoder.More] does, whether there is one. What
// exceeds the limit fails with [ErrTooLong] before memory is allocated for it:
//
//	for d.Next(1 << 20) {
//		id, name, body := d.Uint16(), d.String8(), d.String32()
//	}
//	err := d.Err()
//
// The next message begins where the reads of this one have ended. [Limit], which bounds the whole stream, stays in force.
func (s *StreamDecoder[O]) Next(limit int64) bool {
	if s.limit = s.total; s.d.ok() {
		s.setWindow(s.d.off)
	}
	if !s.More() {
		return false
	}
	if at := s.Offset(); limit < s.total-at {
		s.limit = at + max(limit, 0)
		s.setWindow(s.d.off)
	}
	return true
}

// Len returns the number of bytes left in the innermost span, or -1 if no span is open.
// After a failure it returns 0.
func (s *StreamDecoder[O]) Len() int {
	switch {
	case !s.d.ok():
		return 0
	case s.end == math.MaxInt64:
		return -1
	}
	return int(s.end - s.Offset())
}

// room fails if n is negative, or the span or the limit leaves fewer than n bytes. It
// reads nothing.
func (s *StreamDecoder[O]) room(n int64) bool {
	if !s.d.ok() {
		return false
	}
	left := min(s.end, s.limit) - s.Offset()
	if 0 <= n && n <= min(left, math.MaxInt) {
		return true
	}
	e := &Error{Offset: int64(s.d.off), Want: n, Have: left}
	switch {
	case n < 0:
		e.Have, e.Err = 0, ErrOverflow
	case n <= left, s.end == s.limit && s.limit == math.MaxInt64:
		// Larger than an int, or beyond any offset.
		e.Want, e.Have, e.Err = 0, 0, ErrOverflow
	case s.end > s.limit:
		e.Err = ErrTooLong
	case left == 0:
		e.Err = io.EOF
	default:
		e.Err = io.ErrUnexpectedEOF
	}
	s.d.fail(e)
	return false
}

// within is room for a read of n > 0 bytes. It also fails if the stream is over.
func (s *StreamDecoder[O]) within(n int) bool {
	if s.over() {
		return s.d.need(uint64(n))
	}
	return s.room(int64(n))
}

// over reports whether the limit is reached and the stream ends there. The caller wants
// more bytes, so over may call the Reader to find out.
func (s *StreamDecoder[O]) over() bool {
	if !s.d.ok() || s.Offset() < s.limit || s.limit >= s.end {
		return false
	}
	if s.base+int64(s.filled) > s.limit { // more than the message has arrived
		return false
	}
	var one [1]byte
	return s.rerr != nil || s.readInto(one[:]) == 0
}

// length returns n-extra, the size of content whose length is n, if the span and the limit
// have room for it. Otherwise it fails. Until the content has been read, the end of the
// stream is not io.EOF, because part of the value was there: its length.
func (s *StreamDecoder[O]) length(n uint64, extra int64) int {
	size, ok := without(n, extra)
	switch {
	case !s.d.ok():
	case !ok:
		s.d.fail(&Error{Offset: int64(s.d.off), Err: ErrOverflow})
	case !s.room(size):
		s.d.failure().unexpected()
	default:
		s.due = max(s.due, s.Offset()+size)
		return int(size)
	}
	return 0
}
