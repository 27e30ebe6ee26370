package oct001

import (
	"io"

	"github.com/octet-go/octet/bytespool"
)

// appender is what an encoder of T does.
type appender[T any] func(dst []byte, v T) []byte

// ok: a generic encoder that is done before it releases.
func encodeGenericRight[T any](w io.Writer, v T, enc appender[T]) bool {
	out := bytespool.Make(256)
	out = enc(out, v)
	w.Write(out)
	ok := len(out) > 0 && out[0] == '{'
	bytespool.Release(out)
	return ok
}
