package idioms

import (
	"bytes"
	"io"
	"sync"
)

// A closer once gives its buffer back once.
type closerOnce struct {
	once sync.Once
	buf  *bytes.Buffer
	out  io.WriteCloser
	log  func(*closerOnce)
}
