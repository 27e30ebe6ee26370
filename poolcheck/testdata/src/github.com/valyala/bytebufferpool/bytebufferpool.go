// Package bytebufferpool is a stub with the signatures of
// github.com/valyala/bytebufferpool: what the checker's test programs compile
// against.
package bytebufferpool

import "io"

type ByteBuffer struct{ B []byte }

func Get() *ByteBuffer  { return new(ByteBuffer) }
func Put(b *ByteBuffer) { b.Reset() }

func (b *ByteBuffer) Bytes() []byte                       { return b.B }
func (b *ByteBuffer) Len() int                            { return len(b.B) }
func (b *ByteBuffer) ReadFrom(r io.Reader) (int64, error) { return 0, io.EOF }
func (b *ByteBuffer) Reset()                              { b.B = b.B[:0] }
func (b *ByteBuffer) String() string                      { return string(b.B) }
func (b *ByteBuffer) Write(p []byte) (int, error)         { b.B = append(b.B, p...); return len(p), nil }
func (b *ByteBuffer) WriteString(s string) (int, error)   { b.B = append(b.B, s...); return len(s), nil }
func (b *ByteBuffer) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b.B)
	return int64(n), err
}
