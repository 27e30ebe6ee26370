package oct002

import (
	"crypto/cipher"
	"net/netip"
	"sync"
)

var scratch = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

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
