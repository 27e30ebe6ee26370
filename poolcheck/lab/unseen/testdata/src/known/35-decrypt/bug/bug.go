// Package bug reads objects that are encrypted in chunks.
package bug

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

const (
	plainSize  = 64 << 10
	headerSize = 4 // has the length of what follows
)

// A sealer encrypts chunks, each with a nonce in front.
type sealer struct{ aead cipher.AEAD }

func (s *sealer) overhead() int { return s.aead.NonceSize() + s.aead.Overhead() }

var errShort = errors.New("chunk is too short")

// open decrypts a chunk in place.
func (s *sealer) open(chunk []byte) ([]byte, error) {
	n := s.aead.NonceSize()
	if len(chunk) < n {
		return nil, errShort
	}
	nonce, text := chunk[:n], chunk[n:]
	return s.aead.Open(text[:0], nonce, text, nil)
}

type decryptReader struct {
	r      io.ReadCloser
	sealer *sealer
	rest   []byte
	pool   *sync.Pool
	skip   int64
}

func (d *decryptReader) Read(p []byte) (int, error) {
	if len(d.rest) > 0 {
		n := copy(p, d.rest)
		d.rest = d.rest[n:]
		return n, nil
	}

	buf := d.pool.Get().(*[]byte)
	defer d.pool.Put(buf)

	n, err := io.ReadFull(d.r, *buf)
	if err != nil && err != io.ErrUnexpectedEOF {
		return 0, err
	}
	chunk := (*buf)[:n]
	if len(chunk) < headerSize {
		return 0, errShort
	}
	length := int(binary.BigEndian.Uint32(chunk))
	if headerSize+length > len(chunk) {
		return 0, fmt.Errorf("%w: %d of %d bytes", errShort, len(chunk), headerSize+length)
	}
	plain, err := d.sealer.open(chunk[headerSize : headerSize+length])
	if err != nil {
		return 0, fmt.Errorf("decrypting: %w", err)
	}

	if d.skip > 0 {
		skip := d.skip
		d.skip = 0
		if skip >= int64(len(plain)) {
			return 0, io.EOF
		}
		plain = plain[skip:]
	}
	n = copy(p, plain)
	if n < len(plain) {
		d.rest = plain[n:]
	}
	return n, nil
}

func (d *decryptReader) Close() error { return d.r.Close() }
