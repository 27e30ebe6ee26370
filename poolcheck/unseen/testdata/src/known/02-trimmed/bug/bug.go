// Package bug writes blocks that are compressed in parallel, in order.
package bug

import (
	"errors"
	"hash/crc32"
	"io"
	"sync"
)

const headerLen = 8

type result []byte

type writer struct {
	mu      sync.Mutex
	failed  error
	output  chan chan result
	wg      sync.WaitGroup
	buffers sync.Pool
	block   int
	obufLen int
	written int64
	encode  func(dst, src []byte) int
}

func newWriter(block int, encode func(dst, src []byte) int) *writer {
	w := &writer{block: block, obufLen: headerLen + block, encode: encode}
	w.buffers.New = func() any { return make([]byte, w.obufLen) }
	return w
}

func (w *writer) err(e error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.failed = e
	}
	return w.failed
}

func (w *writer) Reset(dst io.Writer) {
	if w.output != nil {
		close(w.output)
		w.wg.Wait()
	}
	w.failed = nil
	w.written = 0
	toWrite := make(chan chan result, 4)
	w.output = toWrite
	w.wg.Add(1)
	go func() {
		defer w.wg.Done()
		for write := range toWrite {
			in := <-write
			if len(in) > 0 {
				if w.err(nil) == nil {
					// What lies behind is none of the reader's business.
					in = in[:len(in):len(in)]
					n, err := dst.Write(in)
					if err == nil && n != len(in) {
						err = io.ErrShortWrite
					}
					_ = w.err(err)
					w.written += int64(n)
				}
				if cap(in) >= w.obufLen {
					w.buffers.Put([]byte(in))
				}
			}
			close(write)
		}
	}()
}

func (w *writer) Write(p []byte) (int, error) {
	if err := w.err(nil); err != nil {
		return 0, err
	}
	if w.output == nil {
		return 0, errors.New("no writer")
	}
	total := 0
	for len(p) > 0 {
		plain := p[:min(len(p), w.block)]
		p = p[len(plain):]
		inbuf := w.buffers.Get().([]byte)[:len(plain)+headerLen]
		obuf := w.buffers.Get().([]byte)[:w.obufLen]
		copy(inbuf[headerLen:], plain)

		output := make(chan result)
		w.output <- output
		go func() {
			src := inbuf[headerLen:]
			sum := crc32.ChecksumIEEE(src)
			kind := byte(0)
			n := len(src)
			if m := w.encode(obuf[headerLen:], src); m > 0 {
				kind, n = 1, m
				obuf = obuf[:headerLen+m]
			} else {
				obuf, inbuf = inbuf, obuf
			}
			copy(obuf, []byte{kind, byte(n), byte(n >> 8), byte(n >> 16)})
			copy(obuf[4:], []byte{byte(sum), byte(sum >> 8), byte(sum >> 16), byte(sum >> 24)})
			output <- obuf
			w.buffers.Put(inbuf)
		}()
		total += len(plain)
	}
	return total, nil
}
