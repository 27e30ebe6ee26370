package binary

import (
	"errors"
	"fmt"
	"io"
)

// What [Error] wraps besides [io.EOF], [io.ErrUnexpectedEOF] and the errors of
// readers and writers.
var (
	// ErrOverflow: a number does not fit: a varint of more than 64 bits, a
	// negative length, or content that is too long for its length prefix.
	ErrOverflow = errors.New("overflow")

	// ErrLimit: a stream holds more than its reader was told to accept.
	ErrLimit = errors.New("limit exceeded")

	// ErrTrailing: there were bytes left where the input should have ended.
	ErrTrailing = errors.New("bytes left over")

	// ErrChecksum: the bytes are not those that were summed.
	ErrChecksum = errors.New("checksum mismatch")
)

// An Error says where a read or an append failed, and why.
//
// Use [errors.Is] to branch on the reason: io.EOF if there was nothing left to
// read, io.ErrUnexpectedEOF if there was too little, [ErrOverflow], [ErrLimit],
// [ErrTrailing], [ErrChecksum], an error of the reader or writer underneath, or
// one that was given to Fail.
type Error struct {
	Offset int64  // where the value begins, in bytes from the start of the input or output
	Field  string // as named by Field; "" if it was not
	Want   int64  // bytes asked for (for a varint: at least); 0 if size was not the problem
	Have   int64  // bytes that there were, or the most that are allowed
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
	case e.Want != 0:
		size = fmt.Sprintf("want %d bytes, have %d: ", e.Want, e.Have)
	case e.Have != 0:
		size = fmt.Sprintf("have %d bytes: ", e.Have)
	}
	return fmt.Sprintf("binary: %sat offset %d: %s%v", what, e.Offset, size, e.Err)
}

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// unexpected is for a lack of bytes where some of the value was there.
func (e *Error) unexpected() *Error {
	if e.Err == io.EOF {
		e.Err = io.ErrUnexpectedEOF
	}
	return e
}
