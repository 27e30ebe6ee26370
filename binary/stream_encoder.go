package binary

import (
	"errors"
	"io"
)

// A StreamEncoder writes values to an io.Writer through a buffer, in the byte
// order O.
//
// What was encoded is only sure to be in the Writer after Flush or Close. A program
// that forgets both loses the end of its output; where every value must be in the
// Writer at once, use [WriteChain].
//
// The methods are those of [Appender] and return the encoder, so that calls form a
// chain. The first error sticks: what is encoded after it is dropped, and Err,
// Flush and Close return it. Content that is too long for its length prefix is such
// an error here, where an Appender panics. While a span is open (Begin without
// End) nothing is written, and the buffer grows as needed.
//
// A StreamEncoder must be made by [NewStreamEncoder] or prepared by Reset, and must
// not be copied or used by several goroutines at once. It allocates its buffer and
// nothing else.
type StreamEncoder[O Order] struct {
	w     io.Writer
	buf   Appender[O] // encoded and not yet written
	full  int         // spill is due when buf is longer: size; never while spans are open; at once after an error
	size  int
	open  int    // spans
	owner uint32 // of the marks
	sent  int64  // bytes that w took
	err   error
}

// NewStreamEncoder returns an encoder that writes to w:
//
//	e := binary.NewStreamEncoder[binary.Big](w)
//	e.Uint16(id).String8(name)
//	err := e.Flush()
func NewStreamEncoder[O Order](w io.Writer, opts ...EncoderOption) *StreamEncoder[O] {
	e := new(StreamEncoder[O])
	for _, o := range opts {
		if o, ok := o.(bufferSize); ok && o > 0 {
			e.size = max(int(o), minBuffer)
		}
	}
	e.Reset(w)
	return e
}

// Reset makes the encoder write to w, as if it were new. What was not flushed is
// dropped.
func (e *StreamEncoder[O]) Reset(w io.Writer) {
	if e.size == 0 {
		e.size = defaultBuffer
	}
	if e.buf == nil {
		// Numbers are appended before the check for room.
		e.buf = make([]byte, 0, e.size+minBuffer)
	}
	e.w, e.buf, e.full = w, e.buf[:0], e.size
	e.open, e.owner, e.sent, e.err = 0, newOwner(), 0, nil
}

// Flush writes what is in the buffer and returns the first error so far. It panics
// while a span is open, because the prefix is not known yet.
func (e *StreamEncoder[O]) Flush() error {
	if e.err == nil && e.open > 0 {
		panic("binary: Flush inside a span")
	}
	e.flush()
	return e.err
}

// flush writes buf. No span is open.
func (e *StreamEncoder[O]) flush() {
	if e.err == nil && len(e.buf) > 0 {
		e.send(e.buf)
		e.buf = e.buf[:0]
	}
}

// send hands p to w.
func (e *StreamEncoder[O]) send(p []byte) {
	n, err := e.w.Write(p)
	switch {
	case n < 0 || n > len(p):
		n = 0
		if err == nil {
			err = errInvalidWrite
		}
	case n < len(p) && err == nil:
		err = io.ErrShortWrite
	}
	e.sent += int64(n)
	if err != nil {
		e.fail(err)
	}
}

// fail makes err stick if it is the first.
func (e *StreamEncoder[O]) fail(err error) {
	if e.err == nil {
		e.err = err
		e.full = -1
	}
	e.buf = e.buf[:0]
}

var (
	errOpen   = errors.New("closed inside a span; what follows its beginning is lost")
	errClosed = errors.New("binary: the StreamEncoder is closed")
)

// Close flushes and ends the encoder: whatever is encoded afterwards is dropped,
// and Err tells so. It returns the first error so far. If a span is still open,
// its content cannot be written: that is an error as well, and nothing of it or
// of what is around it is written. Close does not close the Writer.
func (e *StreamEncoder[O]) Close() error {
	if e.err == nil && e.open > 0 {
		e.fail(&Error{Offset: e.Offset(), Have: int64(len(e.buf)), Err: errOpen})
	}
	err := e.Flush()
	if err == nil {
		e.fail(errClosed)
	}
	return err
}

// Err returns the first error so far.
func (e *StreamEncoder[O]) Err() error { return e.err }

// Offset returns how many bytes were encoded, or after an error how many the
// Writer took.
func (e *StreamEncoder[O]) Offset() int64 { return e.sent + int64(len(e.buf)) }

// Buffered returns how many bytes wait for Flush.
func (e *StreamEncoder[O]) Buffered() int { return len(e.buf) }

// put takes the longer buffer and makes room again.
func (e *StreamEncoder[O]) put(b Appender[O]) *StreamEncoder[O] {
	if e.buf = b; len(b) > e.full {
		e.spill()
	}
	return e
}

func (e *StreamEncoder[O]) spill() {
	e.flush()
	e.buf = e.buf[:0] // also after an error
	if cap(e.buf) > max(keepBuffer, e.size+minBuffer) {
		e.buf = make([]byte, 0, e.size+minBuffer)
	}
}

// keepBuffer is how large a buffer may stay that had to grow, for a span or for a
// long value: one large message must not hold its memory for all small ones after
// it.
const keepBuffer = 64 << 10
