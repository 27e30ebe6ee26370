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
