package oct002

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"
)

var scratches = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func withScratch(f func(*bytes.Buffer) error) error {
	b := scratches.Get().(*bytes.Buffer)
	b.Reset()
	defer scratches.Put(b)
	return f(b)
}

// bad: the literal lets the bytes out of the function that lends them.
func marshalOut(v any) ([]byte, error) {
	var out []byte
	err := withScratch(func(b *bytes.Buffer) error {
		if err := json.NewEncoder(b).Encode(v); err != nil {
			return err
		}
		out = b.Bytes()
		return nil
	})
	return out, err // want "OCT002: .*"
}

// ok: the literal copies them.
func marshalCopy(v any) ([]byte, error) {
	var out []byte
	err := withScratch(func(b *bytes.Buffer) error {
		if err := json.NewEncoder(b).Encode(v); err != nil {
			return err
		}
		out = bytes.Clone(b.Bytes())
		return nil
	})
	return out, err
}

// ok: the literal uses them.
func marshalTo(w io.Writer, v any) error {
	return withScratch(func(b *bytes.Buffer) error {
		if err := json.NewEncoder(b).Encode(v); err != nil {
			return err
		}
		_, err := w.Write(b.Bytes())
		return err
	})
}
