package oct004

import (
	"bytes"
	"encoding/json"
	"sync"
)

var settingPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type packer struct {
	pooling bool
	closed  bool
	out     []byte
}

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

// ok: who sets a flag to keep the deferred release from running drops on purpose.
func dropAfterFailure(send func([]byte) error, v any) {
	buf := settingPool.Get().(*bytes.Buffer)
	failed := false
	defer func() {
		if !failed {
			settingPool.Put(buf)
		}
	}()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return
	}
	for range 3 {
		if err := send(buf.Bytes()); err == nil {
			return
		}
		failed = true // somebody may still read it
	}
}

// bad: of two returns without a release the first is named, although the other is no statement.
func printNote(text string) {
	buf := settingPool.Get().(*bytes.Buffer) // want "OCT004: buf is not released on every path .returns without a release at line 64."
	if text == "" {
		return
	}
	print(buf.Len())
}
