// Errorpath shows faults of three modules, where a path that errors take does
// not put: github.com/segmentio/encoding v0.5.4 (json/json.go:274),
// github.com/klauspost/compress v1.20.3 (s2/writer.go:236 and 679) and
// github.com/valyala/fasthttp v1.69.0 (fasthttputil/pipeconns.go:118,
// fs.go:762).
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
		blocks.Put(block) // want "boxed: .*block"
		if err != nil {
			return nil
		}
	}
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
