// Package bytebufferpool is github.com/valyala/bytebufferpool with octet's Buffers.
package bytebufferpool

import (
	pool "github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

type ByteBuffer = buffer.Buffer

type Pool struct{ p pool.Pool }

func (p *Pool) Get() *ByteBuffer  { return (*ByteBuffer)(p.p.Get()) }
func (p *Pool) Put(b *ByteBuffer) { b.Put() }

func Get() *ByteBuffer  { return buffer.Get() }
func Put(b *ByteBuffer) { b.Put() }

// The compiler inlines a method of ByteBuffer in the packages that import this one only if
// this one inlines it, too. Nothing calls this function.
var _ = func(b *ByteBuffer) {
	b.Write(nil)
	b.WriteString("")
	b.WriteByte(0)
	b.Reset()
	_, _, _ = b.Bytes(), b.Len(), b.String()
}
