// Package oct008 holds memory that an append moved: the pooled slice is lost
// or released under its user. And code that looks like it and is not.
package oct008

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

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

// ok: Append functions of the standard library return what they were given or
// a new array; the result is released in its place.
func standardAppend(w io.Writer, n int64) {
	out := bytespool.Make(64)
	out = strconv.AppendInt(out, n, 10)
	out = fmt.Appendf(out, " of %d", n)
	w.Write(out)
	bytespool.Release(out)
}

// ok: a wrapper around a pooled slice that appends through its pointer.
type lineBuffer struct{ b []byte }

// ok: the field is replaced by the result, the old value is forgotten.
func (l *lineBuffer) add(s string) *lineBuffer {
	l.b = bytespool.Append(l.b, []byte(s)...)
	return l
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

// ok: the old slice is read, which has what it had.
func readsOld(w io.Writer, body []byte) {
	msg := bytespool.New(4)
	head := msg
	msg = append(msg, body...)
	w.Write(head)
	w.Write(msg)
	bytespool.Release(msg)
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
