package oct004

import (
	"context"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// ok: stored into a map whose entries are released by key.
type table struct {
	mu   sync.Mutex
	rows map[uint64][]byte
}

// ok: released when the context ends.
func untilDone(ctx context.Context, n int) []byte {
	b := bytespool.New(n)
	context.AfterFunc(ctx, func() { bytespool.Release(b) })
	return b
}

// ok: a receiver's Buffer is released by the receiver's Close.
type encoder struct{ out *buffer.Buffer }

// ok: Close releases the field.
func (e *encoder) Close() error { e.out.Release(); return nil }

// leaser is generic over what it hands out.
type leaser[T ~[]byte] struct{ free func(T) }

// ok: a generic owner releases by its function value.
func (l leaser[T]) with(b T, f func(T)) {
	defer l.free(b)
	f(b)
}

// ok: the function value that gets the memory releases it.
func leased() {
	l := leaser[[]byte]{free: func(b []byte) { bytespool.Release(b) }}
	l.with(bytespool.New(64), func(b []byte) { b[0] = 1 })
}
