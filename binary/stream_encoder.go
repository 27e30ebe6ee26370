package binary

import (
	"errors"
	"io"
	"slices"
)

// A StreamEncoder writes values to an io.Writer through a buffer, in the byte order O.
//
// Values may stay in the buffer until Flush or Close is called. A program that calls
// neither loses the end of its output.
//
// The methods are those of [Appender]. They return the encoder, so calls form a chain.
// The first error sticks: later values are dropped, and Err, Flush and Close return
// the error. Content that is too long for its length prefix is an error here, where an
// Appender panics. While a span is open, between Begin and End, the encoder writes
// nothing, and the buffer grows as needed.
//
// A StreamEncoder must be made by [NewStreamEncoder] or prepared by Reset. It must not
// be copied, nor used by several goroutines at once. It allocates only its buffer.
type StreamEncoder[O Order] struct {
	w     io.Writer
	buf   []byte // encoded and not yet written
	full  int    // spill is due when buf is longer: size; never while spans are open; at once after an error
	size  int
	open  int    // number of open spans
	owner uint32 // of the marks
	sent  int64  // bytes that w took
	err   error
}

// NewStreamEncoder returns an encoder that writes to w, with a buffer of 4,096 bytes
// unless [BufferSize] says otherwise:
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

// Reset drops what was not flushed and makes the encoder write to w, as if it were
// new. It keeps the buffer.
func (e *StreamEncoder[O]) Reset(w io.Writer) {
	if e.size == 0 {
		e.size = defaultBuffer
	}
	if e.buf == nil {
		// A number is appended before put checks whether it fits.
		e.buf = make([]byte, 0, e.size+minBuffer)
	}
	e.w, e.buf, e.full = w, e.buf[:0], e.size
	e.open, e.owner, e.sent, e.err = 0, newOwner(), 0, nil
}

// Flush writes the content of the buffer and returns the first error so far. It panics
// while a span is open, because the length is not known yet.
func (e *StreamEncoder[O]) Flush() error {
	if e.err == nil && e.open > 0 {
		panic("binary: Flush inside a span")
	}
	e.flush()
	return e.err
}

// flush writes buf, unless the encoder has failed. No span is open.
func (e *StreamEncoder[O]) flush() {
	if e.err == nil && len(e.buf) > 0 {
		e.send(e.buf)
		e.buf = e.buf[:0]
	}
}

// send writes p to w.
func (e *StreamEncoder[O]) send(p []byte) {
	n, err := e.w.Write(slices.Clip(p))
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

// fail notes err if it is the first error, and drops the buffer.
func (e *StreamEncoder[O]) fail(err error) {
	if e.err == nil {
		e.err = err
		e.full = -1
	}
	e.buf = e.buf[:0]
}

var (
	errOpen   = errors.New("closed inside a span, whose content is lost")
	errClosed = errors.New("binary: the StreamEncoder is closed")
)

// Close flushes the buffer, ends the encoder, and returns the first error so far. Later
// values are dropped, and Err reports that. If a span is still open, its length is not
// known, so Close returns an error and writes nothing from the beginning of the
// outermost span on. Close does not close the Writer.
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

// Offset returns the number of bytes encoded. After an error it returns the number of
// bytes that the Writer took.
func (e *StreamEncoder[O]) Offset() int64 { return e.sent + int64(len(e.buf)) }

// tail returns the buffer, to append to it in the order O.
func (e *StreamEncoder[O]) tail() Appender[O] { return e.buf }

// put replaces the buffer by b, which has more in it, and writes it if it is full.
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

// keepBuffer is the size up to which a buffer is kept that had to grow for a span or
// a long value. One large message must not hold its memory during all small messages
// after it.
const keepBuffer = 64 << 10
