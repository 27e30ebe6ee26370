// Package oct006 holds releases of a part in place of the whole, and code that
// looks like one and is not.
package oct006

import (
	"bytes"
	"io"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// bad: the writer's loop ends with an empty rest, and the rest is released.
func writeAll(w io.Writer, text string) error {
	out := append(bytespool.Make(len(text)), text...)
	for len(out) > 0 {
		n, err := w.Write(out)
		if err != nil {
			break
		}
		out = out[n:]
	}
	bytespool.Release(out) // want "OCT006: .*out.*"
	return nil
}

// bad: the tail is released while the head is still written.
func tailReleased(w io.Writer, r io.Reader) {
	frame := bytespool.New(1024)
	io.ReadFull(r, frame)
	head, tail := frame[:512], frame[512:]
	bytespool.Release(tail) // want "OCT006: .*(tail|frame).*"
	w.Write(head)
}

// ok: a prefix with the capacity of the whole stands for the whole.
func prefix(r io.Reader) {
	frame := bytespool.New(1024)
	n, _ := r.Read(frame)
	frame = frame[:n]
	bytespool.Release(frame)
}

// ok: a slice from zero.
func fromZero(r io.Reader) {
	frame := bytespool.New(1024)
	r.Read(frame[0:16])
	bytespool.Release(frame[0:])
}

// bad: a three-index slice gives up the rest of the capacity.
func clipped(r io.Reader) {
	frame := bytespool.New(1024)
	n, _ := r.Read(frame)
	frame = frame[:n:n]
	bytespool.Release(frame) // want "OCT006: .*frame.*"
}

// bad: what TrimLeft returns begins later than its argument.
func trimmed(r io.Reader, emit func(string)) {
	line := bytespool.New(80)
	io.ReadFull(r, line)
	line = bytes.TrimLeft(line, " ")
	emit(string(line))
	bytespool.Release(line) // want "OCT006: .*line.*"
}

// ok: TrimRight keeps the beginning and the capacity.
func trimmedRight(r io.Reader, emit func(string)) {
	line := bytespool.New(80)
	io.ReadFull(r, line)
	line = bytes.TrimRight(line, "\r\n")
	emit(string(line))
	bytespool.Release(line)
}

// ok: cut at its end.
func tailCutOff(w io.Writer, s string) {
	buf := buffer.NewString(s)
	buf.B = buf.B[:4]
	buf.WriteTo(w)
	buf.Release()
}

var cutPages = sync.Pool{New: func() any { return make([]byte, 0, 4096) }}

// ok: who gets one does not look at its length.
func readCut(r io.Reader, w io.Writer) {
	page := cutPages.Get().([]byte)
	page = page[:cap(page)]
	n, _ := r.Read(page)
	w.Write(page[:n])
	cutPages.Put(page[:0])
}

// ok: nor this one, which appends.
func appendCut(w io.Writer, s string) {
	page := cutPages.Get().([]byte)
	page = append(page, s...)
	w.Write(page)
	cutPages.Put(page[:0])
}

var cellPool = sync.Pool{New: func() any { return make([]byte, 1280) }}

// ok: all slices of the pool have the capacity that they are cut to.
func cutToSize(r io.Reader) (int, error) {
	p := cellPool.Get().([]byte)[:0:1280]
	n, err := r.Read(p[:cap(p)])
	cellPool.Put(p[:0:1280])
	return n, err
}

var tailPool = sync.Pool{New: func() any { return new([]byte) }}

// extended returns p with n more bytes, and what these are.
func extended(p []byte, n int) (all, added []byte) {
	if total := len(p) + n; cap(p) >= total {
		all = p[:total]
	} else {
		all = make([]byte, total)
		copy(all, p)
	}
	return all, all[len(p):]
}

// ok: what is added to an empty slice is all of it.
func tailOfNothing(r io.Reader, n int) error {
	bp := tailPool.Get().(*[]byte)
	_, p := extended((*bp)[:0], n)
	_, err := io.ReadFull(r, p)
	*bp = p
	tailPool.Put(bp)
	return err
}
