// Package readerpool pools readers of byte slices.
//
// It is for programs written for the earlier package of this name. New programs call
// [bytes.NewReader].
package readerpool

import (
	"bytes"

	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// New returns a reader of b. The reader belongs to the caller until Release. It does
// not own b: b must not change or be released while it is read.
func New(b []byte) *bytes.Reader { return buffer.GetReader(b) }

// Release gives r back; it must not be used any more. Release of nil does nothing.
func Release(r *bytes.Reader) { buffer.PutReader(r) }
