package buffer

import (
	"io"

	"github.com/octet-go/octet/internal/known"
)

// What package binary does with a *Buffer, without importing this package.
func init() {
	known.Write = func(w io.Writer, v uint64, size int) (ok bool, err error) {
		b, ok := w.(*Buffer)
		if ok {
			p := [8]byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24), byte(v >> 32), byte(v >> 40), byte(v >> 48), byte(v >> 56)}
			switch size { // copying a constant number of bytes takes no call
			case 1:
				_, err = b.Write(p[:1])
			case 2:
				_, err = b.Write(p[:2])
			case 4:
				_, err = b.Write(p[:4])
			case 8:
				_, err = b.Write(p[:8])
			default:
				_, err = b.Write(p[:size])
			}
		}
		return ok, err
	}
	known.WriteString = func(w io.Writer, s string) (ok bool, err error) {
		b, ok := w.(*Buffer)
		if ok {
			_, err = b.WriteString(s)
		}
		return ok, err
	}
}
