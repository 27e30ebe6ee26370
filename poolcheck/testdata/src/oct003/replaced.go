package oct003

import (
	"bytes"
	"io"

	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// capitals returns in itself if there is nothing to change.
func capitals(in *buffer.Buffer) *buffer.Buffer {
	if in.Len() == 0 {
		return in
	}
	return buffer.NewBytes(bytes.ToUpper(in.Bytes()))
}

// bad: the comparison is the wrong way round.
func comparedWrongly(s string, w io.Writer) {
	b := buffer.NewString(s)
	out := capitals(b)
	if out == b {
		b.Release()
	}
	out.Release() // want "OCT003: .*"
}
