// Package buffer is a stub with the signatures of github.com/octet-go/octet/compat/bytespool/buffer:
// what the checker's test programs compile against.
package buffer

import (
	"bytes"
	"io"

	"github.com/octet-go/octet/bytespool"
)

type Buffer struct {
	B    []byte
	refs int64
}

func Get(capacity ...int) *Buffer  { return new(Buffer) }
func Put(b *Buffer)                { b.Release() }
func Make(capacity int) *Buffer    { return &Buffer{B: bytespool.Make(capacity)} }
func NewBuffer(buf []byte) *Buffer { return &Buffer{B: buf} }
func NewBytes(bs []byte) *Buffer   { return &Buffer{B: append(bytespool.Make(len(bs)), bs...)} }
func NewString(s string) *Buffer   { return &Buffer{B: append(bytespool.Make(len(s)), s...)} }

func (b *Buffer) Bytes() []byte                       { return b.B }
func (b *Buffer) Close() error                        { b.Release(); return nil }
func (b *Buffer) Copy() []byte                        { return append(bytespool.Make(len(b.B)), b.B...) }
func (b *Buffer) GetReader() *bytes.Reader            { b.RefInc(); return bytes.NewReader(b.B) }
func (b *Buffer) Len() int                            { return len(b.B) }
func (b *Buffer) Put()                                { b.Release() }
func (b *Buffer) PutReader(r *bytes.Reader) bool      { return b.Release() }
func (b *Buffer) ReadFrom(r io.Reader) (int64, error) { return 0, io.EOF }
func (b *Buffer) RefAdd(n int64)                      { b.refs += n }
func (b *Buffer) RefInc()                             { b.refs++ }
func (b *Buffer) Release() bool                       { b.refs--; return b.refs < 0 }
func (b *Buffer) Reset()                              { b.B = b.B[:0] }
func (b *Buffer) String() string                      { return string(b.B) }
func (b *Buffer) UnsafeString() string                { return string(b.B) }
func (b *Buffer) Write(p []byte) (int, error)         { b.B = append(b.B, p...); return len(p), nil }
func (b *Buffer) WriteByte(c byte) error              { b.B = append(b.B, c); return nil }
func (b *Buffer) WriteString(s string) (int, error)   { b.B = append(b.B, s...); return len(s), nil }
func (b *Buffer) WriteTo(w io.Writer) (int64, error)  { n, err := w.Write(b.B); return int64(n), err }
