package binary_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/compat/binary"
)

// These types embed a Writer that is called statically and override its Write. They also
// have its other methods.
type (
	bytesWriter   struct{ *bytes.Buffer }
	bytesValue    struct{ bytes.Buffer }
	bytebufWriter struct{ *bytebuf.Buffer }
	bytebufValue  struct{ bytebuf.Buffer }
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
		"*bufio.Writer":   bufioWriter{bufio.NewWriter(io.Discard)},
		"strings.Builder": new(builderValue),
		"*os.File":        fileWriter{os.Stdout},
	} {
		seen = nil
		c := binary.WriteChain{Writer: w, ByteOrder: binary.BigEndian}
		n, err := c.Uint8(1).Uint16(2).String("text").Uint64(3).ByteSlice([]byte{9}).End()
		if want := 3 + 4 + 8 + 1; n != want || err != nil || len(seen) != want {
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
		one, two, four, eight := in.Uint8(), in.Uint16(), in.Uint32(), in.Uint64()
		if n, err := in.End(); one != 7 || two != 0x0707 || four != 0x07070707 || eight != 0x0707070707070707 || n != 15 || err != nil {
			t.Errorf("a type that embeds a %s: read %x %x %x %x, %d, %v", name, one, two, four, eight, n, err)
		}
	}
}
