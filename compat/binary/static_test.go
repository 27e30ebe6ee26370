package binary_test

import (
	"bufio"
	"bytes"
	"io"
	"testing"

	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/bytespool/buffer"
	"github.com/octet-go/octet/compat/binary"
)

// Writers and Readers that are called statically get and return the same bytes as
// others, also if the input ends inside a field.
func TestStaticWritersAndReaders(t *testing.T) {
	type opaque struct{ io.ReadWriter }
	for name, w := range map[string]io.Writer{
		"opaque":         opaque{new(bytes.Buffer)},
		"bytes.Buffer":   new(bytes.Buffer),
		"bytebuf.Buffer": new(bytebuf.Buffer),
		"buffer.Buffer":  new(buffer.Buffer),
		"bufio":          bufio.NewReadWriter(bufio.NewReader(nil), bufio.NewWriter(nil)),
	} {
		if b, ok := w.(*bufio.ReadWriter); ok {
			under := new(bytes.Buffer)
			b.Reader.Reset(under)
			b.Writer.Reset(under)
		}
		c := binary.WriteChain{Writer: w, ByteOrder: binary.BigEndian}
		n, err := c.Uint16(0x0102).Uint32(0x03040506).Byte(7).Uint64(0x08090A0B0C0D0E0F).Uint16(0x1011).End()
		if n != 17 || err != nil {
			t.Fatalf("%s: wrote %d bytes, %v", name, n, err)
		}
		r, _ := w.(io.Reader)
		switch b := w.(type) {
		case *bufio.ReadWriter:
			b.Flush()
		case *buffer.Buffer:
			r = bytes.NewReader(b.Bytes())
		}
		in := binary.Reader{Reader: r, ByteOrder: binary.BigEndian}
		if a, b, c, d := in.Uint16(), in.Uint32(), in.Byte(), in.Uint64(); a != 0x0102 || b != 0x03040506 || c != 7 || d != 0x08090A0B0C0D0E0F {
			t.Errorf("%s: read %x %x %x %x", name, a, b, c, d)
		}
		if v := in.Uint32(); v != 0 { // two bytes are left
			t.Errorf("%s: a field that is cut off reads as %x", name, v)
		}
		if n, err := in.End(); n != 17 || err != io.ErrUnexpectedEOF {
			t.Errorf("%s: read %d bytes, %v; want 17 and %v", name, n, err, io.ErrUnexpectedEOF)
		}
		in.Uint32()
		if n, err := in.End(); n != 0 || err != io.EOF {
			t.Errorf("%s: at the end: %d bytes, %v", name, n, err)
		}
	}
}
