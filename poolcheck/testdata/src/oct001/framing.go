package oct001

import (
	"hash/crc32"
	"io"

	"oct001/wire"
)

// bad: a helper of another package has released the frame.
func useAfterForeignHelper(w io.Writer, r io.Reader) uint32 {
	frame := wire.Acquire(64)
	io.ReadFull(r, frame)
	if err := wire.SendAndRecycle(w, frame); err != nil {
		return 0
	}
	return wire.Sum(frame) // want "OCT001: .*frame.*"
}

// ok: summed first.
func payloadBeforeDone(r io.Reader) uint32 {
	f := wire.NewFrame(r, 128)
	sum := crc32.ChecksumIEEE(f.Payload)
	f.Done()
	return sum
}
