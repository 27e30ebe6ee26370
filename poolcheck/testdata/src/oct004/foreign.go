package oct004

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"oct004/sized"
)

// bad: the write that fails loses what another package's pool handed out.
func foreignWrite(w io.Writer, p []byte) error {
	buf := sized.GetLen(len(p) + 4) // want "OCT004: buf is not released on every path"
	binary.BigEndian.PutUint32(buf, uint32(len(p)))
	copy(buf[4:], p)
	if _, err := w.Write(buf); err != nil {
		return err
	}
	sized.Put(buf)
	return nil
}

func foreignCopy(p []byte) []byte {
	if len(p) == 0 {
		return nil
	}
	b := sized.GetLen(len(p))
	copy(b, p)
	return b
}

func foreignRecycle(b []byte) { sized.Put(b) }

// bad: the same through functions of the package.
func foreignSend(f *os.File, p []byte) error {
	out := foreignCopy(p) // want "OCT004: out is not released on every path"
	if _, err := f.Write(out); err != nil {
		return fmt.Errorf("send: %w", err)
	}
	foreignRecycle(out)
	return nil
}
