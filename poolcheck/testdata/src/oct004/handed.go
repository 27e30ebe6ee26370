package oct004

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httputil"
	"sync"
	"testing"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

// message owns payload; Release ends it.
type message struct {
	kind    byte
	payload []byte
	next    *message
}

func (m *message) Release() {
	bytespool.Release(m.payload)
	m.payload = nil
}

// ok: the memory is returned inside of a struct that releases it.
func newMessage(kind byte, text string) *message {
	return &message{kind: kind, payload: bytespool.NewString(text)}
}

// ok: the field is filled first and the struct returned later; the error path
// releases through the struct.
func readMessage(r io.Reader) (*message, error) {
	m := &message{payload: bytespool.Get(64)}
	if _, err := io.ReadFull(r, m.payload); err != nil {
		m.Release()
		return nil, err
	}
	m.kind = m.payload[0]
	return m, nil
}

// bad: the struct is dropped on the error path, and the payload with it.
func readMessageLeak(r io.Reader) (*message, error) {
	payload := bytespool.Get(64) // want "OCT004: .*payload.*"
	if _, err := io.ReadFull(r, payload); err != nil {
		return nil, fmt.Errorf("message: %w", err)
	}
	return &message{kind: payload[0], payload: payload}, nil
}

// ok: linked into a list that somebody else walks.
func (m *message) push(text string) {
	m.next = &message{payload: bytespool.NewString(text)}
}

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

// ok: what is deleted is released.
func (t *table) drop(id uint64) {
	t.mu.Lock()
	row := t.rows[id]
	delete(t.rows, id)
	t.mu.Unlock()
	bytespool.Release(row)
}

// bad: a duplicate is turned down and forgotten.
func (t *table) addOnce(id uint64, text string) error {
	row := bytespool.NewString(text) // want "OCT004: .*row.*"
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, dup := t.rows[id]; dup {
		return errors.New("duplicate")
	}
	t.rows[id] = row
	return nil
}

// ok: the closure that is returned releases.
func lease(n int) (b []byte, done func()) {
	b = bytespool.Get(n)
	return b, func() { bytespool.Release(b) }
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

// ok: memory from the pool that is nil-checked before its release.
func maybe(r io.Reader, want bool) error {
	var b []byte
	if want {
		b = bytespool.Get(64)
	}
	_, err := r.Read(b)
	if b != nil {
		bytespool.Release(b)
	}
	return err
}

// ok: acquired under a flag and released under the same flag.
func sameFlag(r io.Reader, big bool) {
	var small [64]byte
	b := small[:]
	if big {
		b = bytespool.Get(64 << 10)
	}
	r.Read(b)
	if big {
		bytespool.Release(b)
	}
}

// ok: a defer behind the flag.
func deferBehindFlag(r io.Reader, n int) {
	var small [64]byte
	b := small[:]
	if n > len(small) {
		b = bytespool.Get(n)
		defer bytespool.Release(b)
	}
	r.Read(b)
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

// ok: Append releases the old memory when it grows; the last one is released.
func joined(w io.Writer, parts []string) {
	out := bytespool.Make(64)
	for _, p := range parts {
		out = bytespool.AppendString(out, p)
	}
	w.Write(out)
	bytespool.Release(out)
}

// bad: the joined slice is written and lost.
func joinedForgotten(w io.Writer, parts []string) {
	out := bytespool.Make(64) // want "OCT004: .*out.*"
	for _, p := range parts {
		out = append(out, p...)
	}
	w.Write(out)
}

// ok: a parameter is the caller's to release.
func borrowed(w io.Writer, msg []byte) { w.Write(msg) }

// ok: a receiver's Buffer is released by the receiver's Close.
type encoder struct{ out *buffer.Buffer }

// ok: the constructor's Buffer belongs to the encoder.
func newEncoder() *encoder { return &encoder{out: buffer.Get()} }

// ok: Close releases the field.
func (e *encoder) Close() error { e.out.Release(); return nil }

// ok: lazily acquired by one method and released by another.
func (e *encoder) init() {
	if e.out == nil {
		e.out = buffer.Get(1024)
	}
}

// ok: httputil.BufferPool's Get hands over by contract.
type proxyPool struct{ size int }

// ok: the proxy calls Put with what Get returned.
func (p proxyPool) Get() []byte  { return bytespool.Get(p.size) }
func (p proxyPool) Put(b []byte) { bytespool.Put(b) }

var _ httputil.BufferPool = proxyPool{}

// ok: released through a slice of everything that has to be released.
func cleanups(names []string) {
	var all [][]byte
	defer func() {
		for _, b := range all {
			bytespool.Release(b)
		}
	}()
	for _, n := range names {
		b := bytespool.NewString(n)
		all = append(all, b)
		log.Print(len(b))
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

// ok: a recovered panic leaves the memory to the collector.
func recovered(parse func(string) error, text string) (err error) {
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("parse: %v", e)
		}
	}()
	b := bytespool.NewString(text)
	err = parse(string(b))
	bytespool.Release(b)
	return err
}

// bad: the error path leaves before there is a loop that releases.
func leftBeforeLoop(r io.Reader) error {
	head := bytespool.New(16) // want "OCT004: .*head.*"
	if _, err := io.ReadFull(r, head); err != nil {
		return err
	}
	for _, b := range [][]byte{head} {
		bytespool.Release(b)
	}
	return nil
}

// A body releases its Buffer when it is closed.
type body struct {
	io.Reader
	buf *buffer.Buffer
}

func (b body) Close() error { return b.buf.Close() }

// bad: a reader of the standard library does not release what it reads.
func readByInterface(p []byte) {
	buf := buffer.NewString("a body") // want "OCT004: .*buf.*"
	var r io.Reader = bytes.NewReader(buf.Bytes())
	r.Read(p)
}
