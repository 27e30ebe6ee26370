package idioms

import (
	"io"
	"sync"
)

// encoder is pooled by itself.
type encoder struct {
	w   io.Writer
	buf []byte
}

// stream is pooled with an encoder in it.
type stream struct {
	*encoder
	done chan struct{}
}

var encoderPool = sync.Pool{New: func() any { return new(encoder) }}

// ok: the encoder goes with the stream.
func newStream(w io.Writer) *stream {
	e := encoderPool.Get().(*encoder)
	e.w = w
	return &stream{encoder: e, done: make(chan struct{})}
}
