//go:build !race && !asan && !msan

package binary_test

import (
	"bufio"
	"bytes"
	stdbinary "encoding/binary"
	"strings"
	"testing"

	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/compat/binary"
	"github.com/octet-go/octet/internal/testenv"
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
	c.Bool(true).Byte(1).Int8(2).Uint16(3).Uint32(5).Uint64(6).Float32(7).Float64(8).Complex64(9).
		Complex128(10).ByteSlice(p).Rune('x').End()
}

func readFields(r *binary.Reader, p []byte) {
	r.Bool()
	r.Byte()
	r.Int8()
	r.Uint16()
	r.Uint32()
	r.Uint64()
	r.Float32()
	r.Float64()
	r.Complex64()
	r.Complex128()
	r.Rune()
	r.Read(p)
	r.End()
}

func TestAllocations(t *testing.T) {
	var (
		p    = make([]byte, 10)
		data = bytes.Repeat([]byte{1}, 200)
		long = strings.Repeat("x", 5000)

		std     = bytes.NewBuffer(make([]byte, 0, 1000))
		lending = bytebuf.NewBuffer(make([]byte, 0, 1000))
		writer  = new(opaqueWriter)
		reader  = new(opaqueReader)
		source  = bytes.NewReader(data)
		buffed  = bufio.NewReader(reader)
	)
	for _, order := range []stdbinary.ByteOrder{stdbinary.LittleEndian, stdbinary.BigEndian, stdbinary.NativeEndian} {
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
			{"a fresh chain", 1, 1, func() {
				c := binary.WriteChain{Writer: writer, ByteOrder: order}
				writeFields(&c, p)
			}},
			{"a fresh chain on a bytes.Buffer", 0, 1, func() {
				std.Reset()
				c := binary.WriteChain{Writer: std, ByteOrder: order}
				writeFields(&c, p)
				c.String("string")
			}},
			{"a fresh chain on a bytebuf.Buffer", 0, 1, func() {
				lending.Reset()
				c := binary.WriteChain{Writer: lending, ByteOrder: order}
				c.Uint8(1).Uint16(2).Uint32(3).Uint64(4).Complex128(5).String("string").End()
			}},
			{"a Reader used again", 0, 0, func() { readFields(in, p) }},
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
		} {
			most := test.most
			if testenv.PureGo() { // chains are always on the heap; see scratch_self.go
				most = test.pureGo
			}
			if n := testing.AllocsPerRun(100, test.do); n > most {
				t.Errorf("%s, %v: %v allocations, want at most %v", test.name, order, n, most)
			}
		}
	}
}
