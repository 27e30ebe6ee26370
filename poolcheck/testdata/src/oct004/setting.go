package oct004

import (
	"bytes"
	"sync"
)

type unpacker interface {
	Reset(p []byte) error
	Close() error
}

var unpackers sync.Pool

func getUnpacker(p []byte) (unpacker, error) {
	u := unpackers.Get().(unpacker)
	return u, u.Reset(p)
}

// ok: what cannot be reset is not pooled any more.
func unpack(p []byte, use func(unpacker)) error {
	u, err := getUnpacker(p)
	if err != nil {
		return err
	}
	use(u)
	unpackers.Put(u)
	return nil
}

// bad: of two returns without a release the first is named, although the other is no statement.
func printNote(text string) {
	buf := bufPool.Get().(*bytes.Buffer) // want "OCT004: buf is not released on every path .returns without a release at line 35."
	if text == "" {
		return
	}
	print(buf.Len())
}
