// Errorpath shows faults of five modules, where a path that errors take does
// not put: github.com/segmentio/encoding v0.5.4 (json/json.go:274),
// github.com/klauspost/compress v1.20.3 (s2/writer.go:236 and 679),
// github.com/valyala/fasthttp v1.69.0 (fasthttputil/pipeconns.go:118,
// fs.go:762), github.com/lxzan/gws v1.8.9 (writefile.go:72) and
// github.com/cockroachdb/pebble v2.1.7 (sstable/valblk/writer.go:173).
//
// This program prints how many buffers 100 failures and 100 successes make:
//
//	100 of 100
//	0 of 100
package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"
	"time"
)

var made int

var pool = sync.Pool{New: func() any { made++; return &buffer{data: make([]byte, 0, 1024)} }}

type buffer struct{ data []byte }

// bad: as in encoding: the error of the encoder leaves with the buffer.
func marshal(enc func([]byte) ([]byte, error)) ([]byte, error) {
	var err error
	buf := pool.Get().(*buffer) // want "OCT004: .*buf.*"
	if buf.data, err = enc(buf.data[:0]); err != nil {
		return nil, err
	}
	b := make([]byte, len(buf.data))
	copy(b, buf.data)
	pool.Put(buf)
	return b, nil
}

var errTimeout = errors.New("timeout")

// bad: as in fasthttp: the arm of the deadline forgets what the others release
// or hand over.
func send(out chan<- *buffer, stop <-chan struct{}, deadline <-chan time.Time, p []byte) error {
	buf := pool.Get().(*buffer) // want "OCT004: .*buf.*"
	buf.data = append(buf.data[:0], p...)
	select {
	case out <- buf:
	case <-deadline:
		return errTimeout
	case <-stop:
		pool.Put(buf)
		return io.ErrClosedPipe
	}
	return nil
}

var blocks = sync.Pool{New: func() any { return make([]byte, 4096) }}

// bad: as in compress: a read that fails leaves with the block.
func copyBlocks(w io.Writer, r io.Reader) error {
	for {
		block := blocks.Get().([]byte) // want "OCT004: .*block.*"
		n, err := io.ReadFull(r, block)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		w.Write(block[:n])
		blocks.Put(block)
		if err != nil {
			return nil
		}
	}
}

var segments = sync.Pool{New: func() any { return make([]byte, 4096) }}

var full = make(chan []byte, 1)

// ok: puts the block if there was an error before, and hands it over otherwise.
func flush(block []byte, failed error) {
	if failed != nil {
		segments.Put(block)
		return
	}
	full <- block
}

// bad: as in compress, where the other paths leave the block to a method that
// puts it or hands it over.
func readBlocks(r io.Reader, failed error) error {
	for {
		block := segments.Get().([]byte) // want "OCT004: .*block.*"
		n, err := io.ReadFull(r, block)
		if err != nil && err != io.EOF {
			return err
		}
		if n == 0 {
			segments.Put(block)
			return nil
		}
		flush(block[:n], failed)
	}
}

// A conn writes frames.
type conn struct {
	io.Writer
	closed func() bool
}

// bad: as in gws: a frame for a connection that has been closed is dropped.
func (c *conn) frames(split func(frame func(p []byte) error) error) error {
	return split(func(p []byte) error {
		buf := pool.Get().(*buffer) // want "OCT004: .*buf.*"
		buf.data = append(append(buf.data[:0], byte(len(p))), p...)
		if c.closed() {
			return io.ErrClosedPipe
		}
		_, err := c.Write(buf.data)
		pool.Put(buf)
		return err
	})
}

// release gives the buffer back.
func (b *buffer) release() {
	b.data = b.data[:0]
	pool.Put(b)
}

// ok: the caller has the block and what releases it.
func checked(p []byte) ([]byte, *buffer) {
	buf := pool.Get().(*buffer)
	buf.data = append(buf.data[:0], p...)
	return buf.data, buf
}

func main() {
	debug.SetGCPercent(-1) // a collection empties the pool
	for range 100 {
		marshal(func(b []byte) ([]byte, error) { return nil, errors.New("cannot encode") })
	}
	fmt.Println(made, "of 100")
	pool.Put(new(buffer))
	made = 0
	for range 100 {
		marshal(func(b []byte) ([]byte, error) { return append(b, "null"...), nil })
	}
	fmt.Println(made, "of 100")
	copyBlocks(io.Discard, strings.NewReader(""))
}
