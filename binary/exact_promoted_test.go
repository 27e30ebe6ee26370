package binary_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/bytespool/buffer"
)

// These types embed a Writer that is called statically and override its Write. They also
// have its other methods.
type (
	bytesWriter   struct{ *bytes.Buffer }
	bytesValue    struct{ bytes.Buffer }
	bytebufWriter struct{ *bytebuf.Buffer }
	bytebufValue  struct{ bytebuf.Buffer }
	poolWriter    struct{ *buffer.Buffer }
	poolValue     struct{ buffer.Buffer }
	bufioWriter   struct{ *bufio.Writer }
	builderValue  struct{ strings.Builder }
	fileWriter    struct{ *os.File }
)

var seen []byte // by these types

func see(p []byte) (int, error) { seen = append(seen, p...); return len(p), nil }

func (bytesWriter) Write(p []byte) (int, error)   { return see(p) }
func (*bytesValue) Write(p []byte) (int, error)   { return see(p) }
func (bytebufWriter) Write(p []byte) (int, error) { return see(p) }
func (*bytebufValue) Write(p []byte) (int, error) { return see(p) }
func (poolWriter) Write(p []byte) (int, error)    { return see(p) }
func (*poolValue) Write(p []byte) (int, error)    { return see(p) }
func (bufioWriter) Write(p []byte) (int, error)   { return see(p) }
func (*builderValue) Write(p []byte) (int, error) { return see(p) }
func (fileWriter) Write(p []byte) (int, error)    { return see(p) }

// If a type overrides Write, everything is written by that method.
func TestPromotedMethodsOfWriters(t *testing.T) {
	for name, w := range map[string]io.Writer{
		"*bytes.Buffer":   bytesWriter{new(bytes.Buffer)},
		"bytes.Buffer":    new(bytesValue),
		"*bytebuf.Buffer": bytebufWriter{new(bytebuf.Buffer)},
		"bytebuf.Buffer":  new(bytebufValue),
		"*buffer.Buffer":  poolWriter{new(buffer.Buffer)},
		"buffer.Buffer":   new(poolValue),
		"*bufio.Writer":   bufioWriter{bufio.NewWriter(io.Discard)},
		"strings.Builder": new(builderValue),
		"*os.File":        fileWriter{os.Stdout},
	} {
		seen = nil
		c := binary.WriteChain{Writer: w, ByteOrder: binary.BigEndian}
		binary.WriteSlice(c.Uint8(1).Uint16(2).String("text").Uvarint(300).Uvarint(1<<63).ByteSlice([]byte{9}), []uint16{1, 2})
		n, err := c.End()
		e := binary.NewStreamEncoder[binary.Big](w, binary.BufferSize(16))
		e.String("a text that does not fit").Bytes(make([]byte, 100)).Close()
		if want := 3 + 4 + 2 + 10 + 1 + 4; n != want || err != nil || len(seen) != want+24+100 {
			t.Errorf("a type that embeds a %s: %d bytes, %v, its Write saw %d", name, n, err, len(seen))
		}
	}
}

// These types embed a Reader that is called statically and override its Read.
type (
	bytesReaderOver  struct{ *bytes.Reader }
	bytesBufferOver  struct{ *bytes.Buffer }
	bytesBufferValue struct{ bytes.Buffer }
	bytebufOver      struct{ *bytebuf.Buffer }
	bufioOver        struct{ *bufio.Reader }
)

func fill(p []byte) (int, error) {
	for i := range p {
		p[i] = 7
	}
	return len(p), nil
}

func (bytesReaderOver) Read(p []byte) (int, error)   { return fill(p) }
func (bytesBufferOver) Read(p []byte) (int, error)   { return fill(p) }
func (*bytesBufferValue) Read(p []byte) (int, error) { return fill(p) }
func (bytebufOver) Read(p []byte) (int, error)       { return fill(p) }
func (bufioOver) Read(p []byte) (int, error)         { return fill(p) }

// If a type overrides Read, everything is read by that method.
func TestPromotedMethodsOfReaders(t *testing.T) {
	zeros := make([]byte, 1000)
	for name, r := range map[string]io.Reader{
		"*bytes.Reader":   bytesReaderOver{bytes.NewReader(zeros)},
		"*bytes.Buffer":   bytesBufferOver{bytes.NewBuffer(zeros)},
		"bytes.Buffer":    &bytesBufferValue{*bytes.NewBuffer(zeros)},
		"*bytebuf.Buffer": bytebufOver{bytebuf.NewBuffer(zeros)},
		"*bufio.Reader":   bufioOver{bufio.NewReader(bytes.NewReader(zeros))},
	} {
		in := binary.Reader{Reader: r, ByteOrder: binary.BigEndian}
		one, two, three, four, eight, v := in.Uint8(), in.Uint16(), in.Uint24(), in.Uint32(), in.Uint64(), in.Uvarint()
		s := make([]uint16, 2)
		binary.ReadSlice(&in, s)
		if n, err := in.End(); one != 7 || two != 0x0707 || three != 0x070707 || four != 0x07070707 || eight != 0x0707070707070707 || v != 7 || s[1] != 0x0707 || n != 23 || err != nil {
			t.Errorf("a type that embeds a %s: read %x %x %x %x %x %x %x, %d, %v", name, one, two, three, four, eight, v, s, n, err)
		}
		d := binary.NewStreamDecoder[binary.Big](r)
		if v := d.Uint64(); v != 0x0707070707070707 || d.Err() != nil {
			t.Errorf("a type that embeds a %s: decoded %x, %v", name, v, d.Err())
		}
	}
}
