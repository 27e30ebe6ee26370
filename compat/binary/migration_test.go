package binary_test

import (
	"bytes"
	stdbinary "encoding/binary"
	"io"
	"testing"

	"github.com/octet-go/octet/compat/binary"
)

// packet embeds a chain and a Reader. Between the fields its users look at the Writer
// and the io.Reader, and they never call End.
type packet struct {
	binary.WriteChain
	binary.Reader
	id byte
}

func TestMigrationEmbedded(t *testing.T) {
	var out bytes.Buffer
	in := bytes.NewReader([]byte{1, 0, 9, 2, 0})
	p := packet{
		WriteChain: binary.WriteChain{Writer: &out, ByteOrder: binary.BigEndian},
		Reader:     binary.Reader{Reader: in, ByteOrder: binary.LittleEndian},
	}
	p.WriteChain.Uint16(0x0102)
	if !bytes.Equal(out.Bytes(), []byte{1, 2}) {
		t.Errorf("after Uint16 the Writer has % x", out.Bytes())
	}
	p.String("x")
	if !bytes.Equal(out.Bytes(), []byte{1, 2, 'x'}) {
		t.Errorf("after String the Writer has % x", out.Bytes())
	}
	if v := p.Reader.Uint16(); v != 1 {
		t.Errorf("Uint16 = %d", v)
	}
	p.id, _ = in.ReadByte()
	if p.id != 9 {
		t.Errorf("the Reader read ahead: the next byte is %d", p.id)
	}
	if v := p.Reader.Uint16(); v != 2 || in.Len() != 0 {
		t.Errorf("Uint16 = %d, %d bytes left", v, in.Len())
	}
}

// The byte orders are those of encoding/binary.
func TestOrdersAreInterchangeable(t *testing.T) {
	if any(binary.LittleEndian) != any(stdbinary.LittleEndian) ||
		any(binary.BigEndian) != any(stdbinary.BigEndian) {
		t.Error("the orders are not those of encoding/binary")
	}
	if b := binary.BigEndian.AppendUint16(nil, 1); !bytes.Equal(b, []byte{0, 1}) {
		t.Errorf("AppendUint16: % x", b)
	}
}

// The slices and strings of version 1 are written and read as docs/MIGRATION.md says.
func TestMigrationFromVersion1(t *testing.T) {
	var out bytes.Buffer
	w := binary.WriteChain{Writer: &out, ByteOrder: binary.BigEndian}
	w.ByteSlice([]byte(string([]rune("rüne"))))
	w.ByteSlice([]uint8{1, 2})
	for _, x := range []int32{-1, 2} {
		w.Int32(x)
	}
	if n, err := w.End(); n != 15 || err != nil {
		t.Fatal(n, err)
	}

	r := binary.Reader{Reader: &out, ByteOrder: binary.BigEndian}
	runes := make([]byte, 5)
	io.ReadFull(&r, runes)
	if string(runes) != "rüne" {
		t.Errorf("%q", runes)
	}
	p := make([]byte, 2)
	io.ReadFull(&r, p)
	v := make([]int32, 2)
	for i := range v {
		v[i] = r.Int32()
	}
	if p[0] != 1 || p[1] != 2 || v[0] != -1 || v[1] != 2 {
		t.Error(p, v)
	}
	if n, err := r.End(); n != 15 || err != nil {
		t.Fatal(n, err)
	}
	io.ReadFull(&r, p)
	if _, err := r.End(); err != io.EOF {
		t.Errorf("after the end: %v, want io.EOF", err)
	}
}
