// Package bug finds the name in the first packets of a connection.
package bug

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"sync"
)

var pools [5]sync.Pool

func init() {
	for i := range pools {
		size := 2048 << i
		pools[i].New = func() any { return make([]byte, size) }
	}
}

func alloc(size int) []byte {
	if i := bits.Len(uint(max(size-1, 1)) >> 11); i < len(pools) {
		return pools[i].Get().([]byte)
	}
	return make([]byte, size)
}

func free(b []byte) {
	size := cap(b)
	b = b[:size]
	for i := len(pools) - 1; i >= 0; i-- {
		if size >= 2048<<i {
			pools[i].Put(b)
			return
		}
	}
}

var (
	errNotQuic      = errors.New("no QUIC")
	errNeedMoreData = errors.New("need more data")
)

type header struct{ domain string }

func parseHello(p []byte) (*header, error) {
	i := bytes.Index(p, []byte("sni="))
	if i < 0 {
		return nil, io.ErrUnexpectedEOF
	}
	name, _, ok := bytes.Cut(p[i+4:], []byte{0})
	if !ok {
		return nil, io.ErrUnexpectedEOF
	}
	return &header{string(name)}, nil
}

func sniff(packets [][]byte) (*header, error) {
	// The data may be spread over packets, in any order.
	length := 0
	data := alloc(len(packets[0]))
	defer free(data)

	for _, p := range packets {
		r := bytes.NewReader(p)
		for r.Len() > 0 {
			kind, err := r.ReadByte()
			if err != nil {
				return nil, errNotQuic
			}
			switch kind {
			case 0x00, 0x01: // padding and ping
			case 0x06:
				off, err := binary.ReadUvarint(r)
				if err != nil {
					return nil, io.ErrUnexpectedEOF
				}
				n, err := binary.ReadUvarint(r)
				if err != nil || n > uint64(r.Len()) || off > 1<<16 {
					return nil, io.ErrUnexpectedEOF
				}
				if length < int(off+n) {
					length = int(off + n)
					if len(data) < length {
						grown := alloc(length)
						copy(grown, data)
						free(data)
						data = grown
					}
				}
				if _, err := io.ReadFull(r, data[off:off+n]); err != nil {
					return nil, io.ErrUnexpectedEOF
				}
			default:
				return nil, errNotQuic
			}
		}
		h, err := parseHello(data[:length])
		if err != nil {
			continue
		}
		return h, nil
	}
	return nil, errNeedMoreData
}
