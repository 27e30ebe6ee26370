// Package earlier has what a package and its counterpart in compat share, and only the
// latter exports.
package earlier

import "errors"

// What methods of a buffer.Buffer panic with.
var (
	ErrTruncation = errors.New("buffer: Truncate: length is negative or beyond the content")
	ErrGrow       = errors.New("buffer: Grow or Guarantee: negative count")
)
