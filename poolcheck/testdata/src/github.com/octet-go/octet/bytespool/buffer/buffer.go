// Package buffer is a stub with the signatures of github.com/octet-go/octet/bytespool/buffer:
// what the checker's test programs compile against.
package buffer

import (
	"context"
	"io"
)

type Buffer struct {
	B    []byte
	refs int64
}

func Get() *Buffer { return new(Buffer) }

type Pool struct{}

func (p *Pool) Get() *Buffer                { return Get() }
func (p *Pool) TryGet(int) (*Buffer, error) { return Get(), nil }

func (p *Pool) Acquire(context.Context, int) (*Buffer, error) { return Get(), nil }
func (p *Pool) NewBuffer(buf []byte) *Buffer                  { return &Buffer{B: buf} }

func (b *Buffer) Bytes() []byte                       { return b.B }
func (b *Buffer) Len() int                            { return len(b.B) }
func (b *Buffer) ReadFrom(r io.Reader) (int64, error) { return 0, io.EOF }
func (b *Buffer) Release()                            { b.refs-- }
func (b *Buffer) Reset()                              { b.B = b.B[:0] }
func (b *Buffer) String() string                      { return string(b.B) }
func (b *Buffer) Write(p []byte) (int, error)         { b.B = append(b.B, p...); return len(p), nil }
func (b *Buffer) WriteByte(c byte) error              { b.B = append(b.B, c); return nil }
func (b *Buffer) WriteString(s string) (int, error)   { b.B = append(b.B, s...); return len(s), nil }
func (b *Buffer) WriteTo(w io.Writer) (int64, error)  { n, err := w.Write(b.B); return int64(n), err }

// Detach ends the buffer and hands its bytes to the caller, who releases them.
func (b *Buffer) Detach() []byte { p := b.B; b.B = nil; return p }
