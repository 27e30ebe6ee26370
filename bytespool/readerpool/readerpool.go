// Package readerpool pools readers of byte slices.
//
// It is here for programs that used the package of this name before. New programs
// call [buffer.GetReader] and [buffer.PutReader], which are the same, or
// [buffer.Buffer.GetReader], whose readers hold a reference to the Buffer.
package readerpool

import (
	"bytes"

	"github.com/octet-go/octet/bytespool/buffer"
)

// New returns a reader of b, which is the caller's until Release. The reader does
// not own b: b must not change or be released while it is read.
func New(b []byte) *bytes.Reader { return buffer.GetReader(b) }

// Release gives r back. It must not be used any more. Release of nil does nothing.
func Release(r *bytes.Reader) { buffer.PutReader(r) }
