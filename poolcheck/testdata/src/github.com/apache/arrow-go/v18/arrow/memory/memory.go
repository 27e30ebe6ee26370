// Package memory is a stub with the signatures of github.com/apache/arrow-go/v18/arrow/memory.
package memory

type Allocator interface {
	Allocate(size int) []byte
	Reallocate(size int, b []byte) []byte
	Free(b []byte)
}

type Buffer struct{ buf []byte }

func NewResizableBuffer(mem Allocator) *Buffer { return new(Buffer) }

func (b *Buffer) Retain()       {}
func (b *Buffer) Release()      {}
func (b *Buffer) Bytes() []byte { return b.buf }
