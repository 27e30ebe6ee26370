package oct001

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"sync"
)

// A pooled writer is made to write to a pooled buffer, by Reset.

var (
	outs    = sync.Pool{New: func() any { return new(bytes.Buffer) }}
	zips    = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	writers = sync.Pool{New: func() any { return bufio.NewWriter(nil) }}
)

// bad: the deferred Close writes the end into a buffer that was put.
func closedLate(w io.Writer, p []byte) error {
	out := outs.Get().(*bytes.Buffer)
	zw := zips.Get().(*gzip.Writer)
	defer zips.Put(zw)
	zw.Reset(out)
	defer zw.Close() // want "OCT001: out is used after its release .*"
	defer outs.Put(out)
	zw.Write(p)
	zw.Flush()
	_, err := w.Write(out.Bytes())
	return err
}

// bad: so does Flush.
func flushedLate(p []byte) error {
	out := outs.Get().(*bytes.Buffer)
	bw := writers.Get().(*bufio.Writer)
	bw.Reset(out)
	bw.Write(p)
	outs.Put(out)
	err := bw.Flush() // want "OCT001: out is used after its release .*"
	writers.Put(bw)
	return err
}

// ok: Put writes nothing.
func putAfterwards(p []byte) {
	out := outs.Get().(*bytes.Buffer)
	zw := zips.Get().(*gzip.Writer)
	zw.Reset(out)
	zw.Write(p)
	outs.Put(out)
	zips.Put(zw)
}
