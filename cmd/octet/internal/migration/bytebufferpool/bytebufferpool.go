// Package bytebufferpool is github.com/valyala/bytebufferpool with octet's Buffers.
package bytebufferpool

import "github.com/octet-go/octet/bytespool/buffer"

type (
	ByteBuffer = buffer.Buffer
	Pool       = buffer.Pool
)

func Get() *ByteBuffer  { return buffer.Get() }
func Put(b *ByteBuffer) { b.Release() }

// The compiler inlines a method of ByteBuffer in the packages that import this one only if
// this one inlines it, too. Nothing calls this function.
var _ = func(b *ByteBuffer) {
	b.Write(nil)
	b.WriteString("")
	b.WriteByte(0)
	b.Reset()
	_, _, _ = b.Bytes(), b.Len(), b.String()
}
