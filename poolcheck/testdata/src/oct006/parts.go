// Package oct006 holds releases of a part in place of the whole, and code that
// looks like one and is not.
package oct006

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
	"oct006/extend"
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

// ok: the rest is a variable of its own.
func writeAllRest(w io.Writer, text string) error {
	out := append(bytespool.Make(len(text)), text...)
	for rest := out; len(rest) > 0; {
		n, err := w.Write(rest)
		if err != nil {
			break
		}
		rest = rest[n:]
	}
	bytespool.Release(out)
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

// ok: emptied, but with the capacity of the whole.
func emptied(r io.Reader) {
	frame := bytespool.New(1024)
	r.Read(frame)
	frame = frame[:0]
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

// bad: the deferred release evaluates its argument after the head was cut.
func deferredPart(r io.Reader) uint16 {
	in := bytespool.New(64)
	io.ReadFull(r, in)
	in = in[2:]
	defer bytespool.Release(in) // want "OCT006: .*in.*"
	return binary.LittleEndian.Uint16(in)
}

// ok: the deferred release evaluated its argument while it was the whole.
func deferredWhole(r io.Reader) uint16 {
	in := bytespool.New(64)
	defer bytespool.Release(in)
	io.ReadFull(r, in)
	in = in[2:]
	return binary.LittleEndian.Uint16(in)
}

// bad: a deferred literal sees the variable as it is at the end.
func deferredLiteral(r io.Reader) uint16 {
	in := bytespool.New(64)
	defer func() {
		bytespool.Release(in) // want "OCT006: .*in.*"
	}()
	io.ReadFull(r, in)
	in = in[2:]
	return binary.LittleEndian.Uint16(in)
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

// skipHeader returns its argument without the first eight bytes.
func skipHeader(p []byte) []byte { return p[8:] }

// bad: the helper's result is a part.
func helperPart(r io.Reader) {
	pkt := bytespool.New(1500)
	io.ReadFull(r, pkt)
	body := skipHeader(pkt)
	bytespool.Release(body) // want "OCT006: .*(body|pkt).*"
}

// ok: the helper's result is used, the whole released.
func helperWhole(w io.Writer, r io.Reader) {
	pkt := bytespool.New(1500)
	io.ReadFull(r, pkt)
	w.Write(skipHeader(pkt))
	bytespool.Release(pkt)
}

var chunkPool = sync.Pool{New: func() any { p := make([]byte, 4096); return &p }}

// ok: the pointer goes back with its slice whole.
func pointerWhole(r io.Reader) byte {
	bp := chunkPool.Get().(*[]byte)
	io.ReadFull(r, *bp)
	view := (*bp)[4:]
	c := view[0]
	chunkPool.Put(bp)
	return c
}

// ok: moved to the front with copy, so the slice still begins at its array.
func compacted(r io.Reader, used int) {
	in := bytespool.New(4096)
	n, _ := r.Read(in)
	n = copy(in, in[used:n])
	in = in[:n]
	bytespool.Release(in)
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

// ok: the same by a function of another package.
func tailOfNothingElse(r io.Reader, n int) error {
	bp := tailPool.Get().(*[]byte)
	_, p := extend.By((*bp)[:0], n)
	_, err := io.ReadFull(r, p)
	*bp = p
	tailPool.Put(bp)
	return err
}
