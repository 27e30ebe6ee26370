// Package conn is a helper of the tests: it releases what it is given, always,
// never, or only on failure, seen from another package.
package conn

import (
	"errors"
	"io"

	"github.com/octet-go/octet/bytespool"
)

// TrySend gives p back if it was sent; else the caller still owns it.
func TrySend(w io.Writer, p []byte) error {
	if w == nil {
		return errors.New("not connected")
	}
	w.Write(p)
	bytespool.Release(p)
	return nil
}
