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

// ok: the end is written before.
func closedFirst(w io.Writer, p []byte) error {
	out := outs.Get().(*bytes.Buffer)
	defer outs.Put(out)
	zw := zips.Get().(*gzip.Writer)
	defer zips.Put(zw)
	zw.Reset(out)
	zw.Write(p)
	if err := zw.Close(); err != nil {
		return err
	}
	_, err := w.Write(out.Bytes())
	return err
}

// ok: it writes to something else by then.
func resetBefore(w io.Writer, p []byte) error {
	out := outs.Get().(*bytes.Buffer)
	zw := zips.Get().(*gzip.Writer)
	defer zips.Put(zw)
	zw.Reset(out)
	zw.Write(p)
	zw.Reset(w)
	outs.Put(out)
	return zw.Close()
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

// ok: Reset writes nothing, either.
func resetAfterwards(p []byte) {
	out := outs.Get().(*bytes.Buffer)
	bw := writers.Get().(*bufio.Writer)
	bw.Reset(out)
	bw.Write(p)
	bw.Flush()
	outs.Put(out)
	bw.Reset(nil)
	writers.Put(bw)
}

// ok: the defers are the right way round.
func deferredWell(p []byte) {
	out := outs.Get().(*bytes.Buffer)
	defer outs.Put(out)
	zw := zips.Get().(*gzip.Writer)
	defer zips.Put(zw)
	zw.Reset(out)
	defer zw.Close()
	zw.Write(p)
}

// ok: the writer was never made to write to the buffer that is put.
func twoBuffers(p []byte) error {
	out, in := outs.Get().(*bytes.Buffer), outs.Get().(*bytes.Buffer)
	defer outs.Put(out)
	zw := zips.Get().(*gzip.Writer)
	defer zips.Put(zw)
	in.Write(p)
	zw.Reset(out)
	zw.Write(in.Bytes())
	outs.Put(in)
	return zw.Close()
}

// ok: each round of the loop has its buffer.
func inLoop(list [][]byte, w io.Writer) error {
	zw := zips.Get().(*gzip.Writer)
	defer zips.Put(zw)
	for _, p := range list {
		out := outs.Get().(*bytes.Buffer)
		zw.Reset(out)
		zw.Write(p)
		zw.Close()
		w.Write(out.Bytes())
		outs.Put(out)
	}
	zw.Reset(w)
	return zw.Close()
}
