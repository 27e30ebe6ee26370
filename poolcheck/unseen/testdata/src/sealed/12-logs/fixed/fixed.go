// Package fixed writes indexes and logs to a storage of blobs. Both are built in
// buffers that consist of chunks from a free list.
package fixed

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

const chunkSize = 64 << 10

// An allocator has chunks that are not in use.
type allocator struct {
	mu   sync.Mutex
	free [][]byte
}

var chunks allocator

func (a *allocator) get() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := len(a.free)
	if n == 0 {
		return make([]byte, 0, chunkSize)
	}
	c := a.free[n-1]
	a.free = a.free[:n-1]
	return c
}

func (a *allocator) put(c []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.free) < 512 {
		a.free = append(a.free, c[:0])
	}
}

// pieces are the contents of a buffer, until it is closed.
type pieces [][]byte

func (p pieces) length() int {
	n := 0
	for _, b := range p {
		n += len(b)
	}
	return n
}

type buffer struct{ data [][]byte }

func newBuffer() *buffer { return &buffer{} }

func (b *buffer) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		if n := len(b.data); n == 0 || len(b.data[n-1]) == chunkSize {
			b.data = append(b.data, chunks.get())
		}
		last := &b.data[len(b.data)-1]
		n := min(len(p), chunkSize-len(*last))
		*last = append(*last, p[:n]...)
		p = p[n:]
	}
	return written, nil
}

func (b *buffer) bytes() pieces { return b.data }
func (b *buffer) length() int   { return b.bytes().length() }

func (b *buffer) close() {
	for _, c := range b.data {
		chunks.put(c)
	}
	b.data = nil
}

type storage interface {
	put(ctx context.Context, name string, data pieces) error
}

// A builder has the entries of an index.
type builder map[string]uint64

func (b builder) shards(n int) []builder {
	all := make([]builder, n)
	for k, v := range b {
		h := fnv.New32a()
		io.WriteString(h, k)
		i := h.Sum32() % uint32(n)
		if all[i] == nil {
			all[i] = make(builder)
		}
		all[i][k] = v
	}
	return all
}

func (b builder) build(w io.Writer) error {
	keys := make([]string, 0, len(b))
	for k := range b {
		if len(k) > 255 {
			return fmt.Errorf("key of %d bytes", len(k))
		}
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		line := append([]byte{byte(len(k))}, k...)
		if _, err := w.Write(binary.BigEndian.AppendUint64(line, b[k])); err != nil {
			return err
		}
	}
	return nil
}

// buildShards returns the parts of an index, and a function that the caller
// calls when it does not need them any longer.
func (b builder) buildShards(n int) ([]pieces, func(), error) {
	if n <= 0 {
		return nil, nil, errors.New("number of shards must be positive")
	}
	var open []*buffer
	var parts []pieces
	closeAll := func() {
		for _, buf := range open {
			buf.close()
		}
	}
	for _, s := range b.shards(n) {
		buf := newBuffer()
		open = append(open, buf)
		if err := s.build(buf); err != nil {
			closeAll()
			return nil, nil, err
		}
		parts = append(parts, buf.bytes())
	}
	return parts, closeAll, nil
}

func writeIndex(ctx context.Context, st storage, b builder, n int) error {
	parts, closeAll, err := b.buildShards(n)
	if err != nil {
		return err
	}
	defer closeAll()
	for i, part := range parts {
		if err := st.put(ctx, fmt.Sprintf("index-%d", i), part); err != nil {
			return err
		}
	}
	return nil
}

// A manager encrypts logs and stores them in the background.
type manager struct {
	ctx     context.Context
	st      storage
	encrypt func(w io.Writer, data pieces) error
	limit   int
	wg      sync.WaitGroup
}

func (m *manager) close() { m.wg.Wait() }

func (m *manager) write(name string, data pieces, done func()) {
	sealed := newBuffer()
	if err := m.encrypt(sealed, data); err != nil {
		sealed.close()
		done()
		return
	}
	m.wg.Add(1)
	go func() {
		defer m.wg.Done()
		defer sealed.close()
		defer done()
		m.st.put(m.ctx, name, sealed.bytes()) // a log may be lost
	}()
}

// A logger compresses lines. They are stored only once it is enabled.
type logger struct {
	m       *manager
	enabled atomic.Bool
	count   atomic.Int32

	mu  sync.Mutex
	buf *buffer
	gz  *gzip.Writer
}

func (l *logger) add(text string) {
	line := time.Now().UTC().Format(time.RFC3339) + " " + text + "\n"
	l.store(l.addLine(line))
}

func (l *logger) close() {
	l.mu.Lock()
	data, done := l.flushLocked()
	l.mu.Unlock()
	l.store(data, done)
}

// store hands a part of the log to the manager.
func (l *logger) store(data pieces, done func()) {
	if data.length() == 0 {
		done()
		return
	}
	if !l.enabled.Load() {
		done()
		return
	}
	l.m.write(fmt.Sprintf("log-%d", l.count.Add(1)), data, done)
}

func (l *logger) addLine(line string) (pieces, func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gz == nil {
		l.buf = newBuffer()
		l.gz = gzip.NewWriter(l.buf)
	}
	io.WriteString(l.gz, line)
	if l.buf.length() < l.m.limit {
		return nil, func() {}
	}
	return l.flushLocked()
}

func (l *logger) flushLocked() (pieces, func()) {
	if l.gz == nil {
		return nil, func() {}
	}
	l.gz.Close() // writing to a buffer does not fail
	data, done := l.buf.bytes(), l.buf.close
	l.buf, l.gz = nil, nil
	return data, done
}
