// Package bytebufferpool is github.com/valyala/bytebufferpool with octet's Buffers.
package bytebufferpool

import "github.com/octet-go/octet/bytespool/buffer"

type (
	ByteBuffer = buffer.Buffer
	Pool       = buffer.Pool
)

func Get() *ByteBuffer  { return buffer.Get() }
func Put(b *ByteBuffer) { b.Release() }
