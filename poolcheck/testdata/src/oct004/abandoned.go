package oct004

import (
	"io"

	"github.com/octet-go/octet/bytespool"
)

type pageCache struct {
	pools *bytespool.Pool
	pages map[int][]byte
}

// ok: nobody else needs to release it.
func printed(w io.Writer, text string) {
	b := append(bytespool.Make(len(text)), text...)
	bytespool.Abandon(b)
	w.Write(b)
}
