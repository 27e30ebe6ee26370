package oct001

import (
	"bytes"
	"hash/crc32"
	"io"
	"strings"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"

	"oct001/wire"
)

// bad: trimming returns a part of its argument.
func trimmedAfterRelease(w io.Writer, r io.Reader) {
	line := bytespool.New(256)
	n, _ := r.Read(line)
	text := bytes.TrimSpace(line[:n])
	bytespool.Release(line)
	w.Write(text) // want "OCT001: .*(line|text).*"
}

// bad: UnsafeString shares the Buffer's memory.
func bufferUnsafeString(w io.StringWriter, msg *strings.Reader) {
	out := earlier.Get()
	out.ReadFrom(msg)
	text := out.UnsafeString()
	out.Release()
	w.WriteString(text) // want "OCT001: .*(out|text).*"
}

// ok: Detach ends the Buffer and hands its bytes over.
func bufferDetach(w io.Writer) {
	out := buffer.Get()
	out.WriteString("PING\r\n")
	own := out.Detach()
	w.Write(own)
	bytespool.Release(own)
}

// bad: an element is stored after the release.
func indexAfterRelease() {
	flags := bytespool.New(8)
	bytespool.Release(flags)
	flags[0] = 1 // want "OCT001: .*flags.*"
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
