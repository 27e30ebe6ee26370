// Package crash ends by a panic if released memory is overwritten, before its other tests.
package crash

import (
	"sync"
	"testing"
)

var pool = sync.Pool{New: func() any { return new([64]byte) }}

func TestIndex(t *testing.T) {
	b := pool.Get().(*[64]byte)
	b[0] = 1
	pool.Put(b)
	table := make([]int, 2)
	table[b[0]]++
}

func TestLater(t *testing.T) {
	b := pool.Get().(*[64]byte)
	b[0] = 2
	pool.Put(b)
	if b[0] != 2 {
		t.Error("changed")
	}
}

func TestAmongOthers(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		t.Parallel()
		b := pool.Get().(*[64]byte)
		pool.Put(b)
		pool.Put(b)
	})
}
