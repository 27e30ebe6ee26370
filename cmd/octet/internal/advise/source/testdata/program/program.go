// Package program allocates in all the ways that octet advise tells apart. The comment of a line says where the
// memory ends, and what the advice must contain.
package program

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash"
	"image"
	"io"
	"io/ioutil"
	"strconv"
	"sync"
	"unsafe"

	"example.com/other"
	"example.com/program/sub"
	"github.com/gorilla/websocket"
)

type conn struct {
	buf  []byte
	list [][]byte
	hook func([]byte)
}

var global []byte

func readFull(r io.Reader, n int) error {
	b := make([]byte, n) // here: b := bytespool.New(n); clear(b), for line 34 may read or hand on bytes that are not written; defer bytespool.Release(b)
	_, err := io.ReadFull(r, b)
	return err
}

func notFilled(w io.Writer) {
	b := make([]byte, 64) // here: clear(b), for line 40 may read or hand on bytes that are not written
	b[0] = 1
	w.Write(b)
}

func inLoop(w io.Writer, text string) {
	for range 10 {
		b := []byte(text) // here: append(bytespool.Make(len(text)), text...); bytespool.Release(b) after line 47, its last use
		w.Write(b)
	}
}

func clone(h hash.Hash, p []byte) {
	b := append([]byte(nil), p...) // here: b := bytespool.Append([]byte(nil), p...)
	h.Write(b[1:])
}

func callee(p []byte) {
	b := make([]byte, len(p)) // here: bytespool.New(len(p))
	copy(b, p)
	sum(b)
}

func sum(p []byte) (n int) {
	for _, c := range p {
		n += int(c)
	}
	return n
}

func recursive(p []byte, n int) {
	b := make([]byte, n) // here
	if n > 0 {
		recursive(b, n-1)
	}
}

func appended(w io.Writer, parts [][]byte) {
	b := make([]byte, 0, 64) // here: bytespool.Make(64); bytespool.Append in place of append
	for _, p := range parts {
		b = append(b, p...) // here: begin with b := bytespool.Make(size); bytespool.Append in place of append
	}
	w.Write(b)
}

func cut(r io.Reader) {
	b := make([]byte, 64) // here: keep the whole in another variable
	io.ReadFull(r, b)
	b = b[8:]
	sum(b)
}

func encode(w io.Writer, v any) error {
	var buf bytes.Buffer // here: buf := buffer.Get(); defer buf.Release()
	if err := json.NewEncoder(&buf).Encode(v); err != nil {
		return err
	}
	_, err := w.Write(buf.Bytes())
	return err
}

func encoded(v any) []byte {
	buf := new(bytes.Buffer) // elsewhere: returned
	json.NewEncoder(buf).Encode(v)
	return buf.Bytes()
}

func returned(n int) []byte {
	b := make([]byte, n) // elsewhere: returned
	return b[:n/2]
}

func returnsOther(c *conn, n int) []byte {
	if n == 0 {
		return c.buf
	}
	b := make([]byte, n) // unknown: other memory
	return b
}

func named(n int) (b []byte, err error) {
	b = make([]byte, n) // elsewhere: returned
	return
}

func stored(c *conn) {
	b := make([]byte, 64) // elsewhere: stored in c.buf
	c.buf = b
}

func storedInGlobal() {
	global = make([]byte, 64) // elsewhere: stored in global
}

func storedByCallee(c *conn) {
	b := make([]byte, 64) // elsewhere: keep, where it is stored in c.buf
	c.keep(b)
}

func (c *conn) keep(p []byte) { c.buf = p }

func literal() *conn {
	return &conn{buf: make([]byte, 64)} // elsewhere: field buf
}

func listed(c *conn) {
	b := make([]byte, 64) // elsewhere: appended to a list
	c.list = append(c.list, b)
}

func sent(ch chan []byte) {
	ch <- make([]byte, 64) // elsewhere: sent on a channel
}

func started() {
	b := make([]byte, 64) // elsewhere: given to a goroutine
	go sum(b)
}

func hooked(c *conn) {
	b := make([]byte, 64) // unknown: c.hook
	c.hook(b)
}

func foreign() {
	b := make([]byte, 64) // unknown: other.Use
	other.Use(b)
}

func retried(post func() error) error {
	b := make([]byte, 64) // unknown: given to other.Post
	again := func() error { return other.Post(b) }
	if err := again(); err != nil {
		return again()
	}
	return nil
}

func deferred(f io.Writer) {
	b := make([]byte, 64) // here: for line 179 lets others have the variable; defer bytespool.Release(b)
	defer func() { f.Write(b) }()
}

func replaced(p []byte) {
	b := make([]byte, 64) // here: defer bytespool.Release(b)
	if len(p) > 64 {
		b = p
	}
	sum(b)
}

func reader(w io.Writer, r io.Reader) error {
	b, err := io.ReadAll(r) // here: _, err := bb.ReadFrom(r); b := bb.Bytes(); defer bb.Release()
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

func parameter(dst []byte) []byte {
	return append(dst, make([]byte, 64)...) // unknown: give dst its room beforehand
}

func multi(
	n int,
) {
	b := make([]byte, // here: bytespool.New(n)
		n)
	sum(b)
}

var pool = sync.Pool{New: func() any {
	return make([]byte, 64) // elsewhere: returned
}}

func crosses() {
	b := make([]byte, 64) // here: bytespool.New(64)
	sub.Sum(b)
}

func crossesAndStays() {
	b := make([]byte, 64) // elsewhere: where it is stored in Kept
	sub.Keep(b)
}

type message interface{ unpack([]byte) }

type first struct{ n int }

func (f *first) unpack(p []byte) { f.n = len(p) }

type second struct{ n int }

func (s *second) unpack(p []byte) { s.n = sum(p) }

func unpacks(m message) {
	b := make([]byte, 64) // here
	m.unpack(b)
}

var okay any = "OK"

func reply(n int) any {
	if n == 0 {
		return okay
	}
	b := make([]byte, n) // elsewhere: returned
	return b
}

func again(r io.Reader, sizes []int) {
	var b []byte
	for _, n := range sizes {
		if cap(b) < n {
			b = make([]byte, n) // here: b = bytespool.New(n); clear(b[:cap(b)]), for line 253 reads its capacity; bytespool.Release(b) after line 257, behind the loop
		}
		io.ReadFull(r, b[:n])
	}
}

func drawn(r image.Rectangle) {
	m := image.NewRGBA(r) // unknown: given to other.Draw
	other.Draw(m)
}

func encodes(w io.Writer, p []byte) {
	s := base64.StdEncoding.EncodeToString(p) // here: b := base64.StdEncoding.AppendEncode(bytespool.Make(base64.StdEncoding.EncodedLen(len(p))), p); s := string(b); bytespool.Release(b)
	io.WriteString(w, s)
}

func decodes(w io.Writer, s string) {
	b, err := base64.URLEncoding.DecodeString(s) // here: b, err := base64.URLEncoding.AppendDecode(bytespool.Make(base64.URLEncoding.DecodedLen(len(s))), []byte(s)); defer bytespool.Release(b)
	if err == nil {
		w.Write(b)
	}
}

func appendsEncoded(w io.Writer, p []byte) {
	b := base64.StdEncoding.AppendEncode(nil, p) // here: pass bytespool.Make(base64.StdEncoding.EncodedLen(len(p))) as the first argument; defer bytespool.Release(b)
	w.Write(b)
}

type raw []byte

func converted(p []byte) {
	b := make([]byte, 64) // here: defer bytespool.Release(b)
	if len(p) > 64 {
		b = raw(p)
	}
	sum(b)
}

func appendsNumber(w io.Writer) {
	b := make([]byte, 0, 64) // here: b := bytespool.Make(64); defer bytespool.Release(b)
	b = binary.BigEndian.AppendUint32(b, 7)
	w.Write(b)
}

func peeked(w io.Writer, r *bufio.Reader) {
	b := make([]byte, 64) // here: defer bytespool.Release(b)
	b, _ = r.Peek(8)
	w.Write(b)
}

func lengthened(r io.Reader, n int) {
	b := make([]byte, 0, n) // here: in place of append with make
	for len(b) < n {
		b = append(b, make([]byte, 8)...) // here: in place of append with make, take all of it at first, or slice what it has room for, and clear that
		io.ReadFull(r, b[len(b)-8:])
	}
}

func sized(r io.Reader, n uint32) {
	b := make([]byte, n) // here: b := bytespool.New(int(n))
	io.ReadFull(r, b)
}

func enlarged(r io.Reader, b []byte, n int) {
	if cap(b) < n {
		b = make([]byte, n) // here: b = bytespool.New(n); clear(b[:cap(b)]), for line 318 reads its capacity; defer bytespool.Release(b)
	}
	io.ReadFull(r, b[:n])
}

func lengthens(w io.Writer, b, p []byte) {
	b = append(b, p...) // unknown: give b its room beforehand
	w.Write(b)
}

func decodesTail(w io.Writer, s string) {
	b, _ := base64.URLEncoding.DecodeString(s) // here: keep the whole in another variable, for b loses its front
	b = b[4:]
	w.Write(b)
}

func pushes(c *websocket.Conn) {
	b := make([]byte, 64) // here: defer bytespool.Release(b)
	c.WriteMessage(websocket.BinaryMessage, b)
}

func inList() [][]byte {
	return [][]byte{append([]byte(nil), "x"...)} // elsewhere: stored in [][]byte
}

func replies(list []any, n int) any {
	if n == 0 {
		return list
	}
	b := make([]byte, n) // elsewhere: returned
	return b
}

type packet []byte

func (p packet) keep(c *conn) { c.buf = p }

func keepsItself(c *conn) {
	p := make(packet, 64) // elsewhere: given to keep, where it is stored in c.buf
	p.keep(c)
}

func roomy(w io.Writer, v any) {
	buf := bytes.NewBuffer(make([]byte, 0, 512)) // here: buf := buffer.Get()
	json.NewEncoder(buf).Encode(v)
	w.Write(buf.Bytes())
}

func fresh(v any, ok bool) *bytes.Buffer {
	if !ok {
		return &bytes.Buffer{}
	}
	buf := new(bytes.Buffer) // elsewhere: returned
	json.NewEncoder(buf).Encode(v)
	return buf
}

func receives(w io.Writer, c *websocket.Conn) error {
	_, msg, err := c.ReadMessage() // here: _, r, err := c.NextReader(); bb := buffer.Get(); _, err := bb.ReadFrom(r); msg := bb.Bytes(); defer bb.Release()
	if err == nil {
		_, err = w.Write(msg)
	}
	return err
}

func points() *uint32 {
	b := make([]byte, 4) // unknown: given to unsafe.Pointer
	return (*uint32)(unsafe.Pointer(&b[0]))
}

func raws(v any, p []byte) json.RawMessage {
	b := bytes.Clone(p)            // here: b := append(bytespool.Make(len(p)), p...), or nil if p is
	c := append([]byte(nil), b...) // elsewhere: returned
	return json.RawMessage(c)
}

func quoted(n int) []byte {
	b := make([]byte, 0, n) // elsewhere: it is returned
	return strconv.AppendQuoteRune(b, 'x')
}

func inListNotNil(p []byte) [][]byte {
	return [][]byte{append([]byte{}, p...)} // elsewhere: b := bytespool.Append([]byte{}, p...); it is
}

func nilReturned(parts [][]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...) // elsewhere: let b begin as nil, which it may have to be; bytespool.Append in place of append
	}
	return b
}

func nilCompared(w io.Writer, parts [][]byte) {
	b := []byte(nil)
	for _, p := range parts {
		b = append(b, p...) // here: let b begin as nil
	}
	if b != nil {
		w.Write(b)
	}
}

func beginsNil(w io.Writer, parts [][]byte) {
	var b []byte
	for _, p := range parts {
		b = append(b, p...) // here: begin with b := bytespool.Make(size); bytespool.Append
	}
	w.Write(b)
}

func beginsInOther(w io.Writer, c *conn, p []byte) {
	var b = c.buf[:0]
	b = append(b, p...) // unknown: gets other memory at line 431
	w.Write(b)
}

func beginsWithText(w io.Writer, p []byte) {
	b := []byte("begin")
	b = append(b, p...) // here: begin with b := append(bytespool.Make(size), []byte("begin")...); bytespool.Append
	w.Write(b)
}

func beginsWithLength(w io.Writer, p []byte) {
	var b = make([]byte, 4)
	binary.BigEndian.PutUint32(b, uint32(len(p)))
	b = append(b, p...) // here: begin with b := append(bytespool.Make(size), make([]byte, 4)...); bytespool.Append
	w.Write(b)
}

func textOfCall(w io.Writer, next func() string) {
	b := []byte(next()) // here: arg1 := next(); b := append(bytespool.Make(len(arg1)), arg1...); defer
	w.Write(b)
}

func textReceived(w io.Writer, next chan string) {
	b := []byte(<-next) // here: arg1 := <-next; b := append(bytespool.Make(len(arg1)), arg1...); defer
	w.Write(b)
}

func textAppended(w io.Writer, s string) {
	b := append([]byte(nil), s...) // here: b := bytespool.Append([]byte(nil), []byte(s)...)
	w.Write(b)
}

func keepsReader(h *holder, p []byte) {
	b := make([]byte, 64) // elsewhere: stored in h.body
	h.body = ioutil.NopCloser(bytes.NewReader(b[:copy(b, p)]))
}

type holder struct{ body io.ReadCloser }

func keepsTail(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: stored in c.buf
	copy(b, p)
	_, c.buf, _ = bytes.Cut(b, p[:1])
}

func keepsRest(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: stored in c.buf
	copy(b, p)
	n, rest := split(b)
	sum(p[:n])
	c.buf = rest
}

func split(b []byte) (n int, rest []byte) { return len(b), b[1:] }

func keepsNamed(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: stored in c.buf
	copy(b, p)
	_, rest := splitNamed(b)
	c.buf = rest
}

func splitNamed(b []byte) (n int, rest []byte) {
	n, rest = split(b)
	return
}

func keepsPassed(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: stored in c.buf
	copy(b, p)
	_, rest := splitPassed(b)
	c.buf = rest
}

func splitPassed(b []byte) (int, []byte) { return split(b) }

func countsAlone(p []byte) {
	b := make([]byte, len(p)) // here
	copy(b, p)
	n, _ := split(b)
	other.Use(n)
}

func givesAll(p []byte) {
	b := make([]byte, len(p)) // unknown: not followed
	copy(b, p)
	takesRest(split(b))
}

func takesRest(n int, rest []byte) { global = rest }

func keepsMessage(c *conn, from *websocket.Conn) {
	_, msg, _ := from.ReadMessage() // elsewhere: stored in c.buf
	c.buf = msg
}

func keepsFields(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: appended to a list
	copy(b, p)
	for _, field := range bytes.Fields(b) {
		c.list = append(c.list, field)
	}
}

func keepsLines(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: stored in c.buf
	copy(b, p)
	for line := range bytes.Lines(b) {
		c.buf = line
	}
}

func keepsField(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: stored in c.buf
	copy(b, p)
	fields := bytes.Fields(b)
	c.buf = fields[0]
}

func readsFields(w io.Writer, p []byte) {
	b := make([]byte, len(p)) // here
	copy(b, p)
	for _, field := range bytes.Fields(b) {
		w.Write(field)
	}
	first := b[0]
	for i, c := range b {
		other.Use(i, c, first)
	}
}

func keepsPointed(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: stored in c.buf
	copy(b, p)
	at := &b
	c.buf = *at
}

func readsPointed(p []byte) {
	b := make([]byte, len(p)) // here
	copy(b, p)
	at := &b[0]
	first := *at
	other.Use(first)
}

func changesRead(w io.Writer, r io.Reader) {
	b, _ := io.ReadAll(r) // here: bb := buffer.Get()
	b[0] = 1
	w.Write(b)
}

func keepsPart(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: stored in c.buf
	copy(b, p)
	c.buf = halves(b)[1]
}

func halves(b []byte) [][]byte { return bytes.Split(b, b[:1]) }

func keepsArray(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: stored in [][]byte
	copy(b, p)
	parts := [][]byte{b}
	c.buf = parts[0]
}

func keepsCrossed(c *conn, p []byte) {
	b := make([]byte, len(p)) // elsewhere: stored in c.buf
	copy(b, p)
	c.buf = sub.Halves(b)[1]
}

type readBuf []byte

func (b *readBuf) next() byte {
	v := (*b)[0]
	*b = (*b)[1:]
	return v
}

func (b *readBuf) set(p []byte) { *b = p }

func readsBuf(r io.Reader) {
	b := make([]byte, 64) // here
	io.ReadFull(r, b)
	at := readBuf(b)
	other.Use(at.next())
}

func setsBuf(r io.Reader, p []byte) {
	b := make(readBuf, 64) // unknown: not followed
	io.ReadFull(r, b)
	b.set(p)
}

func storedThrough(dst *[]byte) {
	b := make([]byte, 64) // elsewhere: stored in *dst
	*dst = b
}

func readToKeep(c *conn, r io.Reader) (err error) {
	c.buf, err = io.ReadAll(r) // elsewhere
	return err
}

func readToReturn(r io.Reader) []byte {
	b, err := io.ReadAll(r) // elsewhere: _, err := bb.ReadFrom(r); b := bb.Detach(); bb.Release(); it is returned: bytespool.Release of the slice
	if err != nil {
		return nil
	}
	return b
}

type public interface {
	Unpack([]byte)
	hold([]byte)
}

func (f *first) Unpack(p []byte) { f.n = len(p) }

func (f *first) hold(p []byte) { f.n = len(p) }

type third struct{ p []byte }

func (t *third) Unpack(p []byte) { sum(p) }

func (t *third) hold(p []byte) { t.p = p }

func unpacksByOthers(m public) {
	b := make([]byte, 64) // elsewhere: given to m.Unpack, whose methods here do not keep it
	m.Unpack(b)
}

func unpacksToHold(m public) {
	b := make([]byte, 64) // elsewhere: given to hold, where it is stored in t.p
	m.hold(b)
}

func crossesByMethod(h *sub.Holder) {
	b := make([]byte, 64) // here
	h.Add(b)
	sub.Count(b)
}

func crossesByMethodAndStays(h *sub.Holder) {
	b := make([]byte, 64) // elsewhere: given to Hold, where it is stored in h.p
	h.Hold(b)
}

func crossesByPartAndStays(h *sub.Both) {
	b := make([]byte, 64) // elsewhere: given to Hold, where it is stored in h.p
	h.Hold(b)
}

func crossesByInterface(h sub.Interface) {
	b := make([]byte, 64) // elsewhere: given to h.Add, whose methods here do not keep it
	h.Add(b)
}
