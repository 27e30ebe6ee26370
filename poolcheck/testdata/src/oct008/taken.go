package oct008

import (
	"io"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// ok: the array was taken out before the Buffer grew another.
func takenOut(p []byte) []byte {
	buf := buffer.NewBytes(p)
	mine := buf.B
	buf.B = nil
	buf.WriteString("another array")
	buf.Release()
	return append(mine, '.')
}

// bad: the array is still in the Buffer that grows.
func leftInside(w io.Writer, p []byte) {
	buf := buffer.NewBytes(p)
	mine := buf.B
	buf.WriteString("more")
	w.Write(mine) // want "OCT008: .*buf.*"
	buf.Release()
}

// ok: what was taken out is released for itself.
func takenAndReleased(w io.Writer, p []byte) {
	buf := buffer.NewBytes(p)
	mine := buf.B
	buf.B = nil
	buf.Release()
	w.Write(mine)
	bytespool.Release(mine)
}
