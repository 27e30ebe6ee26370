package oct001

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"io"
	"net"
	"strings"
	"unsafe"

	"github.com/bytedance/gopkg/lang/mcache"
	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"

	"oct001/wire"
)

// bad: the header is decoded from memory that went back.
func headerDecodedLate(r io.Reader) uint32 {
	hdr := bytespool.Get(4)
	io.ReadFull(r, hdr)
	bytespool.Release(hdr)
	return binary.BigEndian.Uint32(hdr) // want "OCT001: .*hdr.*"
}

// ok: decoded into a number first.
func headerDecodedEarly(r io.Reader) uint32 {
	hdr := bytespool.Get(4)
	io.ReadFull(r, hdr)
	n := binary.BigEndian.Uint32(hdr)
	bytespool.Release(hdr)
	return n
}

// bad: a sub-slice reads through its parent's release.
func subSliceAfterRelease(w io.Writer, r io.Reader) {
	frame := bytespool.Get(1024)
	io.ReadFull(r, frame)
	body := frame[16:]
	bytespool.Release(frame)
	w.Write(body) // want "OCT001: .*(frame|body).*"
}

// ok: the sub-slice was cloned.
func clonedSubSlice(w io.Writer, r io.Reader) {
	frame := bytespool.Get(1024)
	io.ReadFull(r, frame)
	body := bytes.Clone(frame[16:])
	bytespool.Release(frame)
	w.Write(body)
}

// ok: append to nil copies.
func appendedCopy(w io.Writer, r io.Reader) {
	frame := bytespool.Get(1024)
	io.ReadFull(r, frame)
	body := append([]byte(nil), frame[16:]...)
	bytespool.Release(frame)
	w.Write(body)
}

// ok: the string conversion copies.
func stringCopy(r io.Reader) string {
	name := bytespool.Get(32)
	n, _ := r.Read(name)
	s := string(name[:n])
	bytespool.Release(name)
	return strings.TrimSpace(s)
}

// bad: the conversion comes after the release.
func stringTooLate(r io.Reader) string {
	name := bytespool.Get(32)
	n, _ := r.Read(name)
	bytespool.Release(name)
	return string(name[:n]) // want "OCT001: .*name.*"
}


// ok: what bytes.ToUpper returns is new.
func upperAfterRelease(w io.Writer, r io.Reader) {
	line := bytespool.Get(256)
	n, _ := r.Read(line)
	up := bytes.ToUpper(line[:n])
	bytespool.Release(line)
	w.Write(up)
}

// bad: trimming returns a part of its argument.
func trimmedAfterRelease(w io.Writer, r io.Reader) {
	line := bytespool.Get(256)
	n, _ := r.Read(line)
	text := bytes.TrimSpace(line[:n])
	bytespool.Release(line)
	w.Write(text) // want "OCT001: .*(line|text).*"
}


// ok: the string without a copy is used for the lookup only, while it lives.
func unsafeStringLookup(r io.Reader, counts map[string]int) int {
	key := bytespool.Get(16)
	io.ReadFull(r, key)
	n := counts[unsafe.String(&key[0], len(key))]
	bytespool.Release(key)
	return n
}

// bad: UnsafeString shares the Buffer's memory.
func bufferUnsafeString(w io.StringWriter, msg *strings.Reader) {
	out := buffer.Get()
	out.ReadFrom(msg)
	text := out.UnsafeString()
	out.Release()
	w.WriteString(text) // want "OCT001: .*(out|text).*"
}

// ok: String copies.
func bufferString(w io.StringWriter, msg *strings.Reader) {
	out := buffer.Get()
	out.ReadFrom(msg)
	text := out.String()
	out.Release()
	w.WriteString(text)
}

// bad: Bytes is a view of the Buffer.
func bufferBytesAfterRelease(w io.Writer) {
	out := buffer.NewString("PING\r\n")
	wire := out.Bytes()
	out.Release()
	w.Write(wire) // want "OCT001: .*(out|wire).*"
}

// ok: Copy returns a slice of its own, released on its own.
func bufferCopy(w io.Writer) {
	out := buffer.NewString("PING\r\n")
	own := out.Copy()
	out.Release()
	w.Write(own)
	bytespool.Release(own)
}

// ok: Detach ends the Buffer and hands its bytes over.
func bufferDetach(w io.Writer) {
	out := buffer.NewString("PING\r\n")
	own := out.Detach()
	w.Write(own)
	bytespool.Release(own)
}

// bad: mcache memory is patched after Free.
func mcachePatchedAfterFree(c net.Conn, body []byte) {
	pkt := mcache.Malloc(4 + len(body))
	copy(pkt[4:], body)
	c.Write(pkt)
	mcache.Free(pkt)
	binary.BigEndian.PutUint32(pkt, 0) // want "OCT001: .*pkt.*"
}

// ok: freed after the last byte was touched.
func mcacheFreedLast(c net.Conn, body []byte) {
	pkt := mcache.Malloc(4 + len(body))
	binary.BigEndian.PutUint32(pkt, uint32(len(body)))
	copy(pkt[4:], body)
	c.Write(pkt)
	mcache.Free(pkt)
}

// bad: an element is stored after the release.
func indexAfterRelease() {
	flags := bytespool.New(8)
	bytespool.Release(flags)
	flags[0] = 1 // want "OCT001: .*flags.*"
}

// bad: RawMessage is a view, and decoding comes after the release.
func rawMessageAfterRelease(r io.Reader, v any) error {
	doc := bytespool.Get(512)
	n, err := r.Read(doc)
	if err != nil {
		bytespool.Release(doc)
		return err
	}
	raw := json.RawMessage(doc[:n])
	bytespool.Release(doc)
	return json.Unmarshal(raw, v) // want "OCT001: .*(doc|raw).*"
}

// ok: json.Unmarshal copies what it keeps, so the input may go back.
func unmarshalThenRelease(r io.Reader) (map[string]string, error) {
	doc := bytespool.Get(512)
	n, err := r.Read(doc)
	if err != nil {
		bytespool.Release(doc)
		return nil, err
	}
	var m map[string]string
	err = json.Unmarshal(doc[:n], &m)
	bytespool.Release(doc)
	return m, err
}


// ok: the scanner's buffer goes back when scanning is over.
func scannerDone(r io.Reader, emit func(string)) error {
	window := bytespool.Get(64 << 10)
	defer bytespool.Release(window)
	sc := bufio.NewScanner(r)
	sc.Buffer(window, 1<<20)
	for sc.Scan() {
		emit(sc.Text())
	}
	return sc.Err()
}

// bad: a helper of another package has released the frame.
func useAfterForeignHelper(w io.Writer, r io.Reader) uint32 {
	frame := wire.Acquire(64)
	io.ReadFull(r, frame)
	if err := wire.SendAndRecycle(w, frame); err != nil {
		return 0
	}
	return wire.Sum(frame) // want "OCT001: .*frame.*"
}

// ok: a helper that only reads leaves the memory with the caller.
func useAfterBorrowingHelper(w io.Writer, r io.Reader) {
	frame := wire.Acquire(64)
	io.ReadFull(r, frame)
	if wire.Sum(frame) != 0 {
		w.Write(frame)
	}
	wire.Recycle(frame)
}


// ok: what the helper returned is a copy.
func copyByForeignHelper(w io.Writer, r io.Reader) {
	frame := wire.Acquire(64)
	io.ReadFull(r, frame)
	body := wire.CopyOf(frame)
	wire.Recycle(frame)
	w.Write(body)
}

// ok: the helper says whether it released.
func conditionalForeignHelper(w io.Writer, r io.Reader, last bool) {
	frame := wire.Acquire(64)
	io.ReadFull(r, frame)
	if wire.RecycleIf(frame, last) {
		return
	}
	w.Write(frame)
	wire.Recycle(frame)
}


// ok: summed first.
func payloadBeforeDone(r io.Reader) uint32 {
	f := wire.NewFrame(r, 128)
	sum := crc32.ChecksumIEEE(f.Payload)
	f.Done()
	return sum
}

// ok: Done set the field to nil; a later test of it is no use of memory.
func fieldTestedAfterDone(r io.Reader) bool {
	f := wire.NewFrame(r, 128)
	kind := f.Kind
	f.Done()
	return f.Payload == nil && kind == f.Kind
}

// ok: the header gives back what it has made whole.
func answer(h *wire.Header) {
	h.Respond()
}

// ok: what is no packer is not given back.
func pack(b []byte) (string, error) {
	var out bytes.Buffer
	err := wire.Pack(&out, b)
	return out.String(), err
}

