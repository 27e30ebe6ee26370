package oct004

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// ok: handed to the channel's receiver.
func produce(out chan<- []byte, lines []string) {
	for _, l := range lines {
		out <- bytespool.NewString(l)
	}
}

// ok: handed to a goroutine that releases.
func async(c net.Conn, text string) {
	msg := bytespool.NewString(text)
	go func() {
		defer bytespool.Release(msg)
		c.Write(msg)
	}()
}

// ok: handed to a goroutine as an argument.
func asyncArgument(c net.Conn, text string) {
	go writeAndRelease(c, bytespool.NewString(text))
}

func writeAndRelease(c net.Conn, msg []byte) {
	c.Write(msg)
	bytespool.Release(msg)
}

// bad: the goroutine writes, and nobody releases.
func asyncForgets(c net.Conn, text string) {
	msg := bytespool.NewString(text) // want "OCT004: .*msg.*"
	done := make(chan error)
	go func() {
		_, err := c.Write(msg)
		done <- err
	}()
	<-done
}

// ok: stored into a map whose entries are released by key.
type table struct {
	mu   sync.Mutex
	rows map[uint64][]byte
}

// ok: the map takes over.
func (t *table) add(id uint64, text string) {
	row := bytespool.NewString(text)
	t.mu.Lock()
	t.rows[id] = row
	t.mu.Unlock()
}

// ok: the test releases when it ends.
func testBuffer(t testing.TB, n int) []byte {
	b := bytespool.Get(n)
	t.Cleanup(func() { bytespool.Release(b) })
	return b
}

// ok: released when the context ends.
func untilDone(ctx context.Context, n int) []byte {
	b := bytespool.Get(n)
	context.AfterFunc(ctx, func() { bytespool.Release(b) })
	return b
}

// ok: errors of acquisition leave nothing to release.
func acquire(limit int) ([]byte, error) {
	if limit <= 0 {
		return nil, errors.New("no memory")
	}
	return bytespool.Get(limit), nil
}

// ok: the caller of acquire returns on its error.
func useAcquire(r io.Reader, n int) error {
	b, err := acquire(n)
	if err != nil {
		return err
	}
	defer bytespool.Release(b)
	_, err = io.ReadFull(r, b)
	return err
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

// ok: lazily acquired by one method and released by another.
func (e *encoder) init() {
	if e.out == nil {
		e.out = buffer.Get(1024)
	}
}

// ok: a struct literal with several owners of memory, each released.
func pair() {
	p := struct{ a, b []byte }{bytespool.Get(8), bytespool.Get(16)}
	copy(p.b, p.a)
	bytespool.Release(p.a)
	bytespool.Release(p.b)
}

// ok: an array of slots filled and emptied by loops.
func slots(r io.Reader) {
	var ring [4][]byte
	for i := range ring {
		ring[i] = bytespool.Get(512)
	}
	for i := range ring {
		r.Read(ring[i])
	}
	for i := range ring {
		bytespool.Release(ring[i])
	}
}

// ok: the scanner's buffer goes back by defer, whatever the loop does.
func scan(r io.Reader) (n int, err error) {
	window := bytespool.Get(64 << 10)
	defer func() { bytespool.Release(window) }()
	sc := bufio.NewScanner(r)
	sc.Buffer(window, cap(window))
	for sc.Scan() {
		if bytes.Equal(sc.Bytes(), []byte("quit")) {
			return n, nil
		}
		n++
	}
	return n, sc.Err()
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
	l.with(bytespool.Get(64), func(b []byte) { b[0] = 1 })
}

// bad: a generic helper that only reads leaves the memory with its caller.
func counted(text string) int {
	b := bytespool.NewString(text) // want "OCT004: .*b.*"
	return count(b, 'x')
}

func count[T ~[]byte | ~string](v T, c byte) (n int) {
	for i := range len(v) {
		if v[i] == c {
			n++
		}
	}
	return n
}

// bad: the parser's error leaves without a release.
func decoded(text string, v any) error {
	b := bytespool.NewString(text) // want "OCT004: .*b.*"
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	bytespool.Release(b)
	return nil
}
