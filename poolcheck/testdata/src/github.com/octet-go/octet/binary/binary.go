// Package binary is a stub with the signatures of github.com/octet-go/octet/binary: what the checker's test programs
// compile against.
package binary

import "io"

type Little struct{}

type Big struct{ _ [0]byte }

type Order interface{ Little | Big }

type Appender[O Order] []byte

type BE = Appender[Big]

func (a Appender[O]) Uint32(n uint32) Appender[O] { return append(a, byte(n)) }

type Decoder[O Order] struct {
	p   []byte
	err error
}

type BEDecoder = Decoder[Big]

func DecodeBE(p []byte) BEDecoder { return BEDecoder{p: p} }

func (d *Decoder[O]) Bytes(n int) []byte            { return d.p[:n] }
func (d *Decoder[O]) Bytes16() []byte               { return d.p }
func (d *Decoder[O]) Err() error                    { return d.err }
func (d *Decoder[O]) Field(name string) *Decoder[O] { return d }
func (d *Decoder[O]) Len() int                      { return len(d.p) }
func (d *Decoder[O]) Uint32() uint32                { return uint32(len(d.p)) }

type StreamDecoder[O Order] struct {
	r   io.Reader
	buf []byte
	err error
}

func NewStreamDecoder[O Order](r io.Reader) *StreamDecoder[O] { return &StreamDecoder[O]{r: r} }

func (d *StreamDecoder[O]) AppendBytes(dst []byte, n int) []byte {
	return append(dst, d.buf[:n]...)
}
func (d *StreamDecoder[O]) Bytes(n int) []byte         { return d.buf[:n] }
func (d *StreamDecoder[O]) Bytes16() []byte            { return d.buf }
func (d *StreamDecoder[O]) Bytes8() []byte             { return d.buf }
func (d *StreamDecoder[O]) Err() error                 { return d.err }
func (d *StreamDecoder[O]) Len8() int                  { return len(d.buf) }
func (d *StreamDecoder[O]) More() bool                 { return len(d.buf) > 0 }
func (d *StreamDecoder[O]) Peek(n int) ([]byte, error) { return d.buf[:n], d.err }
func (d *StreamDecoder[O]) String8() string            { return string(d.buf) }
func (d *StreamDecoder[O]) Uint32() uint32             { return uint32(len(d.buf)) }
