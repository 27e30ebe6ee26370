// Package zstd is a stub with the signatures of
// github.com/klauspost/compress/zstd: what the programs compile against.
package zstd

import (
	"errors"
	"io"
)

var ErrDecoderClosed = errors.New("decoder used after Close")

type decoderOptions struct{ concurrent int }

type DOption func(*decoderOptions) error

func WithDecoderConcurrency(n int) DOption {
	return func(o *decoderOptions) error {
		o.concurrent = n
		return nil
	}
}

type Decoder struct {
	o       decoderOptions
	r       io.Reader
	history []byte
}

func NewReader(r io.Reader, opts ...DOption) (*Decoder, error) {
	d := new(Decoder)
	for _, o := range opts {
		if err := o(&d.o); err != nil {
			return nil, err
		}
	}
	return d, d.Reset(r)
}

func (d *Decoder) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	d.history = append(d.history[:0], p[:n]...)
	return n, err
}

func (d *Decoder) Reset(r io.Reader) error {
	d.r = r
	d.history = d.history[:0]
	return nil
}

func (d *Decoder) Close() { d.r = nil }
