// An interface that looks like a pool.
package matrix

type allocator interface {
	Allocate(n int) []byte
	Free(b []byte)
}

var pool allocator

type T = []byte

func acquire() T      { return pool.Allocate(64) }
func release(v T)     { pool.Free(v) }
func use(v T)         { v[0] = 1 }
func view(v T) []byte { return v[1:3] }
