// Package bug is a buffer for encoders whose arrays are pooled by size.
package bug

import (
	"io"
	"math/bits"
	"sync"
)

var pools [14]sync.Pool

func init() {
	for i := range pools {
		n := 64 << i
		pools[i].New = func() any { return make([]byte, 0, n) }
	}
}

// poolNum returns the pool whose slices have n bytes at least, or -1.
func poolNum(n int) int {
	if n <= 64 {
		return 0
	}
	if i := bits.Len(uint(n-1)) - 6; i < len(pools) {
		return i
	}
	return -1
}

// pool takes b back.
func pool(b []byte) {
	if cap(b) < 64 {
		return
	}
	// Slices of a pool have its size at least.
	if i := poolNum((cap(b) + 2) >> 1); i != -1 {
		pools[i].Put(b[0:0])
	}
}

func makeSlice(n int) []byte {
	if i := poolNum(n); i != -1 {
		return pools[i].Get().([]byte)[0:n]
	}
	return make([]byte, n)
}

type buffer struct {
	buf []byte
	off int
}

func (b *buffer) Len() int { return len(b.buf) - b.off }

func (b *buffer) Reset() {
	b.off = 0
	b.buf = b.buf[0:0]
}

// grow makes room for n bytes and returns where they begin.
func (b *buffer) grow(n int) int {
	m := b.Len()
	if m == 0 {
		if b.buf == nil {
			b.buf = makeSlice(2 * n)
			b.off = 0
		} else if b.off != 0 {
			b.Reset()
		}
	}
	if len(b.buf)+n > cap(b.buf) {
		var buf []byte
		if m+n <= cap(b.buf)/2 {
			// Moving what is there makes room enough.
			copy(b.buf[:], b.buf[b.off:])
			buf = b.buf[:m]
		} else {
			buf = makeSlice(2*cap(b.buf) + n)
			copy(buf, b.buf[b.off:])
		}
		pool(b.buf)
		b.buf = buf
		b.off = 0
	}
	b.buf = b.buf[0 : b.off+m+n]
	return b.off + m
}

func (b *buffer) Write(p []byte) (int, error) {
	m := b.grow(len(p))
	return copy(b.buf[m:], p), nil
}

func (b *buffer) WriteString(s string) (int, error) {
	m := b.grow(len(s))
	return copy(b.buf[m:], s), nil
}

func (b *buffer) Read(p []byte) (int, error) {
	if b.off >= len(b.buf) {
		b.Reset()
		if len(p) == 0 {
			return 0, nil
		}
		return 0, io.EOF
	}
	n := copy(p, b.buf[b.off:])
	b.off += n
	return n, nil
}
