// Package oct008 holds memory that an append moved: the pooled slice is lost
// or released under its user. And code that looks like it and is not.
package oct008

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

var linePool = sync.Pool{New: func() any { p := make([]byte, 0, 128); return &p }}

// ok: a deferred literal takes the slice as it is at the end.
func deferLiteral(w io.Writer, parts []string) {
	out := bytespool.Make(64)
	defer func() { bytespool.Release(out) }()
	for _, p := range parts {
		out = bytespool.Append(out, []byte(p)...)
	}
	w.Write(out)
}

// ok: released by hand after the last append.
func releaseAfterAppend(w io.Writer, parts []string) {
	out := bytespool.Make(64)
	for _, p := range parts {
		out = bytespool.Append(out, []byte(p)...)
	}
	w.Write(out)
	bytespool.Release(out)
}

// bad: the place for the length prefix lies in the array that Append may have
// released.
func prefixPatched(w io.Writer, body []byte) {
	msg := bytespool.New(4)
	size := msg[:4]
	msg = bytespool.Append(msg, body...)
	binary.BigEndian.PutUint32(size, uint32(len(body))) // want "OCT008: .*(size|msg).*"
	w.Write(msg)
	bytespool.Release(msg)
}

// ok: the place for the length prefix is taken from the grown slice.
func prefixByIndex(w io.Writer, body []byte) {
	msg := bytespool.New(4)
	msg = bytespool.Append(msg, body...)
	binary.BigEndian.PutUint32(msg[:4], uint32(len(body)))
	w.Write(msg)
	bytespool.Release(msg)
}

// bad: the result has another name, and the old one is written.
func oldNameWritten(w io.Writer, a, b string) {
	head := append(bytespool.Make(len(a)), a...)
	both := bytespool.Append(head, []byte(b)...)
	w.Write(head) // want "OCT008: .*head.*"
	bytespool.Release(both)
}

// bad: the old one is released beside the new one.
func bothReleased(w io.Writer, a, b string) {
	head := append(bytespool.Make(len(a)), a...)
	both := bytespool.Append(head, []byte(b)...)
	w.Write(both)
	bytespool.Release(both)
	bytespool.Release(head) // want "OCT00[38]: .*head.*"
}

// ok: the new name is the only one that is used on.
func newNameOnly(w io.Writer, a, b string) {
	head := append(bytespool.Make(len(a)), a...)
	both := bytespool.Append(head, []byte(b)...)
	w.Write(both)
	bytespool.Release(both)
}

// withLine appends and returns the result.
func withLine(dst []byte, line string) []byte {
	dst = bytespool.Append(dst, []byte(line)...)
	return bytespool.Append(dst, '\n')
}

// ok: the callee returns the result and the caller takes it.
func calleeReturns(w io.Writer, lines []string) {
	page := bytespool.Make(32)
	for _, l := range lines {
		page = withLine(page, l)
	}
	w.Write(page)
	bytespool.Release(page)
}

// ok: the view is taken after the last write.
func viewAfterWrite(w io.Writer, body []byte) {
	msg := buffer.NewString("size")
	msg.Write(body)
	binary.BigEndian.PutUint32(msg.Bytes(), uint32(len(body)))
	msg.WriteTo(w)
	msg.Release()
}

// ok: strconv's append through the field, stored back into the field.
func fieldStoredBack(w io.Writer, n int64) {
	msg := buffer.NewString("n=")
	msg.B = strconv.AppendInt(msg.B, n, 10)
	msg.WriteTo(w)
	msg.Release()
}

// ok: Append functions of the standard library return what they were given or
// a new array; the result is released in its place.
func standardAppend(w io.Writer, n int64) {
	out := bytespool.Make(64)
	out = strconv.AppendInt(out, n, 10)
	out = fmt.Appendf(out, " of %d", n)
	w.Write(out)
	bytespool.Release(out)
}

// ok: the pointer goes back with its old slice; what grew is left to the
// collector.
func pointerKeepsOld(w io.Writer, parts []string) {
	bp := linePool.Get().(*[]byte)
	line := (*bp)[:0]
	for _, p := range parts {
		line = append(line, p...)
	}
	w.Write(line)
	linePool.Put(bp)
}

// ok: a wrapper around a pooled slice that appends through its pointer.
type lineBuffer struct{ b []byte }

// ok: the field is replaced by the result, the old value is forgotten.
func (l *lineBuffer) add(s string) *lineBuffer {
	l.b = bytespool.Append(l.b, []byte(s)...)
	return l
}

// ok: a chain of adds on one owner.
func chain(w io.Writer) {
	l := &lineBuffer{b: bytespool.Make(16)}
	l.add("a").add("b")
	w.Write(l.b)
	bytespool.Release(l.b)
}

// ok: Append with nil is Make and copy.
func fromNil(w io.Writer, parts []string) {
	var out []byte
	for _, p := range parts {
		out = bytespool.Append(out, []byte(p)...)
	}
	w.Write(out)
	bytespool.Release(out)
}

// ok: the old slice is cut before Append and has no other name.
func reset(w io.Writer, parts []string) {
	out := bytespool.Make(16)
	for _, p := range parts {
		out = bytespool.Append(out[:0], []byte(p)...)
		w.Write(out)
	}
	bytespool.Release(out)
}

// joiner is generic over strings and byte slices.
func joiner[T ~string | ~[]byte](dst []byte, parts []T) []byte {
	for _, p := range parts {
		dst = bytespool.Append(dst, []byte(p)...)
	}
	return dst
}

// ok: the generic callee's result is what is released.
func genericResult(w io.Writer, parts []string) {
	out := joiner(bytespool.Make(16), parts)
	w.Write(out)
	bytespool.Release(out)
}

// ok: a Buffer keeps the memory that others have references to.
func readerOfGrown(w io.Writer, line []byte) {
	msg := buffer.NewBytes(line)
	rd := msg.GetReader()
	msg.WriteByte('\n')
	io.Copy(w, rd)
	msg.PutReader(rd)
	msg.Release()
}

// bad: the small slice goes back each time, and what has grown is lost.
func growthLost(w io.Writer, parts []string) {
	b := bytespool.Make(64)
	line := b
	for _, p := range parts {
		line = append(line, p...)
	}
	w.Write(line)
	bytespool.Release(b) // want "OCT008: b .*"
}

// bad: the append of the language may have moved the content, so that the length is written elsewhere.
func prefixLost(w io.Writer, body []byte) {
	msg := bytespool.New(4)
	size := msg[:4]
	msg = append(msg, body...)
	binary.BigEndian.PutUint32(size, uint32(len(body))) // want "OCT008: .*"
	w.Write(msg)
	bytespool.Release(msg)
}

// ok: it is long enough for both.
func prefixSized(w io.Writer, body []byte) {
	msg := bytespool.Make(4 + len(body))
	size := msg[:4]
	msg = append(msg, body...)
	binary.BigEndian.PutUint32(size, uint32(len(body)))
	w.Write(msg)
	bytespool.Release(msg)
}

// ok: a few bytes, for which there is room.
func prefixFew(w io.Writer) {
	msg := bytespool.Make(64)
	size := msg[:4]
	msg = append(msg, 'a', 'b')
	binary.BigEndian.PutUint32(size, 2)
	w.Write(msg)
	bytespool.Release(msg)
}

// ok: each round begins anew, and none keeps what it has made.
func scratch(w io.Writer, parts []string) {
	b := bytespool.Make(64)
	defer bytespool.Release(b)
	for _, p := range parts {
		w.Write(append(b[:0], p...))
	}
}

// ok: the old slice is read, which has what it had.
func readsOld(w io.Writer, body []byte) {
	msg := bytespool.New(4)
	head := msg
	msg = append(msg, body...)
	w.Write(head)
	w.Write(msg)
	bytespool.Release(msg)
}

// ok: the new one takes the place of the old one.
func releasesNew(w io.Writer, parts []string) {
	line := bytespool.Make(64)
	for _, p := range parts {
		line = append(line, p...)
	}
	w.Write(line)
	bytespool.Release(line)
}

// ok: it asks whether there is room.
func asksForRoom(w io.Writer, parts []string) {
	b := bytespool.Make(64)
	line := b
	for _, p := range parts {
		if cap(line) < len(line)+len(p) {
			break
		}
		line = append(line, p...)
	}
	w.Write(line)
	bytespool.Release(b)
}

// ok: the slice is used anew, by its first name.
func anew(w io.Writer, head, body []byte) {
	b := bytespool.New(64)
	w.Write(append(b[:0], head...))
	w.Write(b[:copy(b, body)])
	bytespool.Release(b)
}
