// Package oct009 holds reads of old bytes: pooled memory sent, hashed or
// compared beyond what was written. And code that looks like it and is not.
package oct009

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/valyala/bytebufferpool"
)

// bad: the count of bytes read is thrown away, and everything is sent.
func echoAll(c net.Conn) {
	in := bytespool.Get(4096)
	defer bytespool.Release(in)
	if _, err := c.Read(in); err != nil {
		return
	}
	c.Write(in) // want "OCT009: .*in.*"
}

// ok: what was read is sent.
func echo(c net.Conn) {
	in := bytespool.Get(4096)
	defer bytespool.Release(in)
	n, err := c.Read(in)
	if err != nil {
		return
	}
	c.Write(in[:n])
}

// bad: the count is known, logged, and not used for the write.
func echoCounted(c net.Conn, log func(int)) {
	in := bytespool.Get(4096)
	defer bytespool.Release(in)
	n, err := c.Read(in)
	if err != nil {
		return
	}
	log(n)
	c.Write(in) // want "OCT009: .*in.*"
}

// ok: ReadFull fills everything or fails.
func echoFull(c net.Conn) error {
	in := bytespool.Get(512)
	defer bytespool.Release(in)
	if _, err := io.ReadFull(c, in); err != nil {
		return err
	}
	_, err := c.Write(in)
	return err
}

// ok: the slice is cut in place.
func echoCut(c net.Conn) {
	in := bytespool.Get(4096)
	n, err := c.Read(in)
	in = in[:n]
	if err == nil {
		c.Write(in)
	}
	bytespool.Release(in)
}

// bad: never written: the padding carries what the last user left.
func padding(w io.Writer, text string) {
	w.Write([]byte(text))
	pad := bytespool.New(16)
	w.Write(pad) // want "OCT009: .*pad.*"
	bytespool.Release(pad)
}

// ok: cleared before it is sent.
func paddingCleared(w io.Writer, text string) {
	w.Write([]byte(text))
	pad := bytespool.New(16)
	clear(pad)
	w.Write(pad)
	bytespool.Release(pad)
}

// bad: a record of fixed size whose tail was never written.
func record(w io.Writer, name string) {
	rec := bytespool.New(64)
	copy(rec, name)
	w.Write(rec) // want "OCT009: .*rec.*"
	bytespool.Release(rec)
}

// ok: the tail is cleared.
func recordCleared(w io.Writer, name string) {
	rec := bytespool.New(64)
	n := copy(rec, name)
	clear(rec[n:])
	w.Write(rec)
	bytespool.Release(rec)
}

// ok: the record is as long as what is copied.
func recordExact(w io.Writer, name string) {
	rec := bytespool.New(len(name))
	copy(rec, name)
	w.Write(rec)
	bytespool.Release(rec)
}

// ok: every byte is set by a loop.
func recordLoop(w io.Writer) {
	rec := bytespool.New(64)
	for i := range rec {
		rec[i] = ' '
	}
	w.Write(rec)
	bytespool.Release(rec)
}

// ok: header and body fill the slice exactly.
func packet(w io.Writer, body []byte) {
	pkt := bytespool.New(4 + len(body))
	binary.BigEndian.PutUint32(pkt, uint32(len(body)))
	copy(pkt[4:], body)
	w.Write(pkt)
	bytespool.Release(pkt)
}

// bad: the digest covers bytes that were not read.
func digest(f *os.File) [32]byte {
	block := bytespool.Get(4096)
	defer bytespool.Release(block)
	f.Read(block)
	return sha256.Sum256(block) // want "OCT009: .*block.*"
}

// ok: the digest covers what was read.
func digestRead(f *os.File) [32]byte {
	block := bytespool.Get(4096)
	defer bytespool.Release(block)
	n, _ := f.Read(block)
	return sha256.Sum256(block[:n])
}

// bad: compared with its old tail, the key is never found equal.
func sameKey(r io.Reader, want []byte) bool {
	key := bytespool.Get(32)
	defer bytespool.Release(key)
	if _, err := r.Read(key); err != nil {
		return false
	}
	return bytes.Equal(key, want) // want "OCT009: .*key.*"
}

// ok: compared as far as it was read.
func sameKeyRead(r io.Reader, want []byte) bool {
	key := bytespool.Get(32)
	defer bytespool.Release(key)
	n, err := r.Read(key)
	return err == nil && bytes.Equal(key[:n], want)
}

// bad: the string is as long as the slice, not as the name.
func readName(r io.Reader) (string, error) {
	name := bytespool.Get(64)
	defer bytespool.Release(name)
	_, err := r.Read(name)
	return string(name), err // want "OCT009: .*name.*"
}

// ok: mcache memory filled by hex.Encode.
func hexName(w io.Writer, id []byte) {
	text := mcache.Malloc(hex.EncodedLen(len(id)))
	hex.Encode(text, id)
	w.Write(text)
	mcache.Free(text)
}

// bad: mcache memory is as dirty.
func mcachePadding(w io.Writer, id [8]byte) {
	text := mcache.Malloc(32)
	copy(text, id[:])
	w.Write(text) // want "OCT009: .*text.*"
	mcache.Free(text)
}

// bad: Grow lengthens the content by bytes that nobody wrote.
func grown(w io.Writer) {
	msg := buffer.NewString("id=")
	msg.Grow(8)
	msg.WriteTo(w) // want "OCT009: .*msg.*"
	msg.Release()
}

// ok: the grown part is written.
func grownWritten(w io.Writer, id uint64) {
	msg := buffer.NewString("id=")
	at := msg.Len()
	msg.Grow(8)
	binary.BigEndian.PutUint64(msg.B[at:], id)
	msg.WriteTo(w)
	msg.Release()
}

// ok: Guarantee makes room only.
func guaranteed(w io.Writer) {
	msg := buffer.NewString("id=")
	msg.Guarantee(8)
	msg.WriteTo(w)
	msg.Release()
}

var dirtyPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bad: nobody in the package ever resets: the second user sends the first
// one's content, too.
func neverReset(w io.Writer, v any) error {
	buf := dirtyPool.Get().(*bytes.Buffer) // want "OCT009: .*buf.*"
	defer dirtyPool.Put(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return err
	}
	_, err := w.Write(buf.Bytes())
	return err
}

var resetOnGet = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: reset after the Get.
func resetAfterGet(w io.Writer, v any) error {
	buf := resetOnGet.Get().(*bytes.Buffer)
	defer resetOnGet.Put(buf)
	buf.Reset()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return err
	}
	_, err := w.Write(buf.Bytes())
	return err
}

var resetOnPut = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: reset before the Put.
func resetBeforePut(w io.Writer, v any) error {
	buf := resetOnPut.Get().(*bytes.Buffer)
	defer func() {
		buf.Reset()
		resetOnPut.Put(buf)
	}()
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return err
	}
	_, err := w.Write(buf.Bytes())
	return err
}

var resetByHelper = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func putReset(buf *bytes.Buffer) {
	buf.Reset()
	resetByHelper.Put(buf)
}

// ok: reset in the helper that puts.
func resetInHelper(w io.Writer, v any) error {
	buf := resetByHelper.Get().(*bytes.Buffer)
	defer putReset(buf)
	if err := json.NewEncoder(buf).Encode(v); err != nil {
		return err
	}
	_, err := w.Write(buf.Bytes())
	return err
}

var drained = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: WriteTo empties a bytes.Buffer, and hashes take all.
func drainedByWriteTo(h hash.Hash, s string) {
	buf := drained.Get().(*bytes.Buffer)
	buf.WriteString(s)
	buf.WriteTo(h)
	drained.Put(buf)
}

var leftInside = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// bad: what could not be written stays in the buffer, for its next user.
func writeUnasked(w io.Writer, s string) {
	buf := leftInside.Get().(*bytes.Buffer) // want "OCT009: .*buf.*"
	defer leftInside.Put(buf)
	quote(buf, s)
	buf.WriteTo(w)
}

func quote(buf *bytes.Buffer, s string) {
	buf.WriteByte('"')
	buf.WriteString(s)
	buf.WriteByte('"')
}

var askedFor = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: a buffer that could not be written is not put back.
func writeAsked(w io.Writer, s string) {
	buf := askedFor.Get().(*bytes.Buffer)
	quote(buf, s)
	if _, err := buf.WriteTo(w); err != nil {
		panic(err)
	}
	askedFor.Put(buf)
}

var intoBuffer = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ok: writing to a buffer does not fail.
func writeToBuffer(out *bytes.Buffer, s string) {
	buf := intoBuffer.Get().(*bytes.Buffer)
	defer intoBuffer.Put(buf)
	quote(buf, s)
	buf.WriteTo(out)
}

var emptiedByHelper = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func begin(buf *bytes.Buffer) {
	buf.Reset()
	buf.WriteByte('[')
}

// ok: the function that begins the text empties the buffer.
func beginEmpties(w io.Writer, s string) {
	buf := emptiedByHelper.Get().(*bytes.Buffer)
	defer emptiedByHelper.Put(buf)
	begin(buf)
	quote(buf, s)
	buf.WriteTo(w)
}

var dirtySlices = sync.Pool{New: func() any { p := make([]byte, 0, 256); return &p }}

// bad: appended behind what the last user left.
func appendWithoutCut(w io.Writer, s string) {
	bp := dirtySlices.Get().(*[]byte) // want "OCT009: .*bp.*"
	*bp = append(*bp, s...)
	w.Write(*bp)
	dirtySlices.Put(bp)
}

var cutSlices = sync.Pool{New: func() any { p := make([]byte, 0, 256); return &p }}

// ok: cut to nothing first.
func appendWithCut(w io.Writer, s string) {
	bp := cutSlices.Get().(*[]byte)
	*bp = append((*bp)[:0], s...)
	w.Write(*bp)
	cutSlices.Put(bp)
}

var cutOnPut = sync.Pool{New: func() any { p := make([]byte, 0, 256); return &p }}

// ok: cut to nothing before the Put.
func appendCutOnPut(w io.Writer, s string) {
	bp := cutOnPut.Get().(*[]byte)
	*bp = append(*bp, s...)
	w.Write(*bp)
	*bp = (*bp)[:0]
	cutOnPut.Put(bp)
}

// ok: bytebufferpool resets on Put.
func bytebufferClean(w io.Writer, s string) {
	page := bytebufferpool.Get()
	page.WriteString(s)
	page.WriteTo(w)
	bytebufferpool.Put(page)
}

// ok: a Buffer from the pool starts empty.
func bufferClean(w io.Writer, s string) {
	msg := buffer.Get()
	msg.WriteString(s)
	msg.WriteTo(w)
	msg.Release()
}

// ok: Make has length zero; append writes what it shows.
func madeClean(w io.Writer, s string) {
	out := bytespool.Make(64)
	out = append(out, s...)
	w.Write(out)
	bytespool.Release(out)
}

// ok: time's AppendFormat from [:0] of a slice with a length.
func stamped(w io.Writer, t time.Time) {
	out := bytespool.Get(64)
	w.Write(t.AppendFormat(out[:0], time.RFC3339))
	bytespool.Release(out)
}

// ok: io.CopyBuffer writes only what it has read.
func copied(w io.Writer, r io.Reader) {
	b := bytespool.Get(32 << 10)
	io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{r}, b)
	bytespool.Release(b)
}

// ok: an unknown function may fill everything.
func filledByCallback(w io.Writer, fill func([]byte)) {
	b := bytespool.Get(128)
	fill(b)
	w.Write(b)
	bytespool.Release(b)
}

// ok: a reader of random numbers fills everything by its contract.
func token(rand io.Reader) string {
	b := bytespool.Get(16)
	defer bytespool.Release(b)
	if _, err := io.ReadAtLeast(rand, b, 16); err != nil {
		return ""
	}
	return strings.ToUpper(hex.EncodeToString(b))
}
