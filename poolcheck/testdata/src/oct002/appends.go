package oct002

import (
	"bytes"
	"crypto/cipher"
	"io"
	"net/netip"
	"sync"
)

var scratch = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// An appender is of another package: nothing but its names tells what it does.
type appender interface {
	AppendTo(dst []byte) []byte
	MarshalAppend(b []byte) ([]byte, error)
	Len() int
}

type Codec interface {
	Encode(dst, src []byte) []byte
	Digest(src []byte) []byte
}

// ok: a copy is returned.
func appendedCopy(v appender) []byte {
	bp := scratch.Get().(*[]byte)
	defer scratch.Put(bp)
	return bytes.Clone(v.AppendTo((*bp)[:0]))
}

// ok: it is written before the release.
func written(w io.Writer, v appender) error {
	bp := scratch.Get().(*[]byte)
	defer scratch.Put(bp)
	text, err := v.MarshalAppend((*bp)[:0])
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// ok: nothing says that a digest is what it was given.
func digested(c Codec, w io.WriterTo) []byte {
	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	b.Reset()
	w.WriteTo(b)
	return c.Digest(b.Bytes())
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

type opener struct {
	aead cipher.AEAD
	rest []byte
}

// ok: the rest is copied.
func (o *opener) readCopy(p, nonce, chunk []byte) (int, error) {
	bp := scratch.Get().(*[]byte)
	defer scratch.Put(bp)
	plain, err := o.aead.Open((*bp)[:0], nonce, chunk, nil)
	if err != nil {
		return 0, err
	}
	n := copy(p, plain)
	o.rest = append(o.rest[:0], plain[n:]...)
	return n, nil
}

// bad: an address in text.
func address(a netip.AddrPort) []byte {
	bp := scratch.Get().(*[]byte)
	defer scratch.Put(bp)
	return a.AppendTo((*bp)[:0]) // want "OCT002: .*bp outlives its release"
}
