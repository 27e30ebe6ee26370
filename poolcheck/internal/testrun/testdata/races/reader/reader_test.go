// Package reader reads a buffer in another goroutine while it is put.
package reader

import (
	"bytes"
	"sync"
	"testing"
)

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func TestReader(t *testing.T) {
	b := pool.Get().(*bytes.Buffer)
	b.WriteString("some content")
	got := b.Bytes()
	var done sync.WaitGroup
	total := 0
	done.Go(func() { total = sum(got) })
	pool.Put(b)
	done.Wait()
	t.Log(total)
}

func sum(b []byte) int {
	n := 0
	for _, c := range b {
		n += int(c)
	}
	return n
}
