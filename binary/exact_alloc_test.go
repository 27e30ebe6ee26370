//go:build !race && !asan && !msan

package binary_test

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/bytespool/buffer"
)

// opaqueWriter and opaqueReader are not called statically. They are used through
// pointers, so that converting them to interfaces does not allocate.
type opaqueWriter struct{ n int }

func (w *opaqueWriter) Write(p []byte) (int, error) { w.n += len(p); return len(p), nil }

type opaqueReader struct{ next byte }

func (r *opaqueReader) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.next
		r.next++
	}
	return len(p), nil
}

func writeFields(c *binary.WriteChain, p []byte) {
	c.Bool(true).Byte(1).Int8(2).Uint16(3).Uint24(4).Uint32(5).Uint64(6).Float32(7).Float64(8).Complex64(9).
		Complex128(10).Uvarint(300).Uvarint(1 << 63).Varint(-1).ByteSlice(p).Rune('x').End()
}

func readFields(r *binary.Reader, p []byte) {
	r.Bool()
	r.Byte()
	r.Int8()
	r.Uint16()
	r.Uint24()
	r.Uint32()
	r.Uint64()
	r.Float32()
	r.Float64()
	r.Complex64()
	r.Complex128()
	r.Uvarint()
	r.Rune()
	r.Read(p)
	r.End()
}

// pureGo says that chains are always on the heap; see exact_scratch_self.go.
var pureGo = false

func TestExactAllocations(t *testing.T) {
	var (
		p       = make([]byte, 10)
		numbers = make([]uint32, 5000)
		data    = bytes.Repeat([]byte{1}, 200)
		long    = strings.Repeat("x", 5000)

		std     = bytes.NewBuffer(make([]byte, 0, 1000))
		lending = bytebuf.NewBuffer(make([]byte, 0, 1000))
		pooled  = buffer.Make(1000)
		writer  = new(opaqueWriter)
		reader  = new(opaqueReader)
		source  = bytes.NewReader(data)
		buffed  = bufio.NewReader(reader)
		full    = make([]byte, 0, 4*len(numbers))
	)
	defer pooled.Release()
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian, binary.NativeEndian} {
		chain := &binary.WriteChain{Writer: writer, ByteOrder: order}
		in := &binary.Reader{Reader: reader, ByteOrder: order}
		static := &binary.Reader{Reader: source, ByteOrder: order}
		for _, test := range []struct {
			name   string
			most   float64
			pureGo float64 // most with the tag octet_purego
			do     func()
		}{
			{"a chain used again", 0, 0, func() { writeFields(chain, p) }},
			{"a string through a chain used again", 0, 0, func() { chain.String(long).End() }},
			{"a slice through a chain used again", 0, 0, func() { binary.WriteSlice(chain, numbers).End() }},
			{"a fresh chain", 1, 1, func() {
				c := binary.WriteChain{Writer: writer, ByteOrder: order}
				writeFields(&c, p)
			}},
			{"a fresh chain on a bytes.Buffer", 0, 1, func() {
				std.Reset()
				c := binary.WriteChain{Writer: std, ByteOrder: order}
				writeFields(&c, p)
				binary.WriteSlice(c.String("string"), numbers[:100])
			}},
			{"a fresh chain on a bytebuf.Buffer", 0, 1, func() {
				lending.Reset()
				c := binary.WriteChain{Writer: lending, ByteOrder: order}
				c.Uint8(1).Uint16(2).Uint32(3).Uint64(4).Uvarint(300).Complex128(5).String("string").End()
			}},
			{"a fresh chain on a buffer.Buffer", 0, 1, func() {
				pooled.Reset()
				c := binary.WriteChain{Writer: pooled, ByteOrder: order}
				c.Uint8(1).Uint16(2).Uint32(3).Uint64(4).Uvarint(300).Complex128(5).String("string").End()
			}},
			{"a Reader used again", 0, 0, func() { readFields(in, p) }},
			{"a slice through a Reader used again", 0, 3, func() { binary.ReadSlice(in, numbers); in.End() }},
			{"a Reader used again on a bytes.Reader", 0, 0, func() { source.Reset(data); readFields(static, p) }},
			{"a fresh Reader", 1, 1, func() {
				r := binary.Reader{Reader: reader, ByteOrder: order}
				readFields(&r, p)
			}},
			{"a fresh Reader on a bytes.Reader", 0, 1, func() {
				source.Reset(data)
				r := binary.Reader{Reader: source, ByteOrder: order}
				readFields(&r, p)
			}},
			{"a fresh Reader on a bytes.Buffer", 0, 1, func() {
				std.Reset()
				std.Write(data)
				r := binary.Reader{Reader: std, ByteOrder: order}
				readFields(&r, p)
			}},
			{"a fresh Reader on a bytebuf.Buffer", 0, 1, func() {
				lending.Reset()
				lending.Write(data)
				r := binary.Reader{Reader: lending, ByteOrder: order}
				readFields(&r, p)
			}},
			{"a fresh Reader on a bufio.Reader", 0, 1, func() {
				r := binary.Reader{Reader: buffed, ByteOrder: order}
				readFields(&r, p)
			}},
			{"slices", 0, 1, func() {
				b := binary.AppendSlice(full, order, numbers)
				binary.EncodeSlice(b, order, numbers)
				binary.DecodeSlice(b, order, numbers)
			}},
			{"a slice on the stack", 0, 3, func() {
				var v [16]float64
				var b [128]byte
				binary.AppendSlice(b[:0], order, v[:])
				binary.DecodeSlice(b[:], order, v[:])
			}},
		} {
			most := test.most
			if pureGo {
				most = test.pureGo
			}
			if n := testing.AllocsPerRun(100, test.do); n > most {
				t.Errorf("%s, %v: %v allocations, want at most %v", test.name, order, n, most)
			}
		}
	}
}
