package binary

import (
	"errors"
	"fmt"
	"io"
)

// The reasons that an [Error] wraps, besides [io.EOF], [io.ErrUnexpectedEOF] and the
// errors of Readers and Writers.
var (
	// ErrOverflow says that a number does not fit: a varint has more than 64 bits, a
	// count or length is negative or larger than an int, or content is too long for its
	// length prefix.
	ErrOverflow = errors.New("overflow")

	// ErrTooLong says that a stream has more bytes than [Limit] allows, a message more
	// than [StreamDecoder.Next] does, or content more than [Decoder.Until] does.
	ErrTooLong = errors.New("limit exceeded")

	// ErrTrailing says that bytes are left where the input or a span should end.
	ErrTrailing = errors.New("bytes left over")

	errOverlong     = errors.New("varint longer than necessary")
	errReadCount    = errors.New("the io.Reader returned an impossible count")
	errInvalidWrite = errors.New("binary: the Writer returned an impossible count")
)

// An Error says where a read or an append failed, and why.
//
// Use [errors.Is] to branch on the reason: io.EOF if there was nothing left to read,
// io.ErrUnexpectedEOF if there was too little, [ErrOverflow], [ErrTooLong],
// [ErrTrailing], the error of a Reader or Writer, or the error given to Fail.
type Error struct {
	Offset int64  // where the value begins, in bytes from the start of the input or output
	Field  string // the name given to Field, or ""
	Want   int64  // the number of bytes wanted (of a varint, the least; it may be negative), or 0 if size was not the problem
	Have   int64  // the number of bytes available, or the largest number allowed
	Err    error  // the reason; never nil
}

// Error returns a message such as
// "binary: qdcount at offset 4: want 2 bytes, have 1: unexpected EOF".
func (e *Error) Error() string {
	what := e.Field
	if what != "" {
		what += " "
	}
	size := ""
	switch {
	case e.Want < 0:
		return fmt.Sprintf("binary: %sat offset %d: negative count %d", what, e.Offset, e.Want)
	case e.Want != 0:
		size = fmt.Sprintf("want %s, have %d: ", byteCount(e.Want), e.Have)
	case e.Have != 0:
		size = fmt.Sprintf("have %s: ", byteCount(e.Have))
	}
	return fmt.Sprintf("binary: %sat offset %d: %s%v", what, e.Offset, size, e.Err)
}

func byteCount(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprint(n, " bytes")
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// unexpected turns io.EOF into io.ErrUnexpectedEOF, because part of the value was there.
func (e *Error) unexpected() {
	if e.Err == io.EOF {
		e.Err = io.ErrUnexpectedEOF
	}
}
