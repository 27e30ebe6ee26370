package oct004

import (
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// ok: stored into a map whose entries are released by key.
type table struct {
	mu   sync.Mutex
	rows map[uint64][]byte
}

// ok: the map takes over.
func (t *table) add(id uint64, text string) {
	row := append(bytespool.Make(len(text)), text...)
	t.mu.Lock()
	t.rows[id] = row
	t.mu.Unlock()
}

// ok: the test releases when it ends.
func testBuffer(t testing.TB, n int) []byte {
	b := bytespool.New(n)
	t.Cleanup(func() { bytespool.Release(b) })
	return b
}

// ok: released when the context ends.
func untilDone(ctx context.Context, n int) []byte {
	b := bytespool.New(n)
	context.AfterFunc(ctx, func() { bytespool.Release(b) })
	return b
}

// ok: errors of acquisition leave nothing to release.
func acquire(limit int) ([]byte, error) {
	if limit <= 0 {
		return nil, errors.New("no memory")
	}
	return bytespool.New(limit), nil
}

// bad: the caller of acquire forgets on a later error.
func useAcquireLeak(r io.Reader, n int) error {
	b, err := acquire(n) // want "OCT004: .*b.*"
	if err != nil {
		return err
	}
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	bytespool.Release(b)
	return nil
}

// ok: a receiver's Buffer is released by the receiver's Close.
type encoder struct{ out *buffer.Buffer }

// ok: Close releases the field.
func (e *encoder) Close() error { e.out.Release(); return nil }

// ok: a struct literal with several owners of memory, each released.
func pair() {
	p := struct{ a, b []byte }{bytespool.New(8), bytespool.New(16)}
	copy(p.b, p.a)
	bytespool.Release(p.a)
	bytespool.Release(p.b)
}

// ok: an array of slots filled and emptied by loops.
func slots(r io.Reader) {
	var ring [4][]byte
	for i := range ring {
		ring[i] = bytespool.New(512)
	}
	for i := range ring {
		r.Read(ring[i])
	}
	for i := range ring {
		bytespool.Release(ring[i])
	}
}

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
