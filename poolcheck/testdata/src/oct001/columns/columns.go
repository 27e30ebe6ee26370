// Package columns builds columns in pooled memory.
package columns

import "sync"

var pool sync.Pool

func allocate(n int) []byte {
	if p, ok := pool.Get().(*[]byte); ok && cap(*p) >= n {
		return (*p)[:n]
	}
	return make([]byte, n)
}

func free(p []byte) { pool.Put(&p) }

// A Builder gathers values. It has memory until its Release.
type Builder struct{ buf []byte }

func NewBuilder() *Builder { return &Builder{allocate(64)[:0]} }

func (b *Builder) Append(v byte) {
	if len(b.buf) == cap(b.buf) {
		grown := allocate(2 * cap(b.buf))[:len(b.buf)]
		copy(grown, b.buf)
		free(b.buf)
		b.buf = grown
	}
	b.buf = append(b.buf, v)
}

func (b *Builder) Release() {
	free(b.buf)
	b.buf = nil
}
