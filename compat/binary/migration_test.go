package binary_test

import (
	"bytes"
	stdbinary "encoding/binary"
	"io"
	"testing"

	"github.com/octet-go/octet/compat/binary"
)

// Everything that programs written for howl.moe/binary may name, with its type. This need
// only compile: FuzzWriteChain and FuzzReader call it.
func _(c *binary.WriteChain, r *binary.Reader) {
	var (
		_ io.Writer                                     = c
		_ func(p []byte) (int, error)                   = c.Write
		_ func() (int, error)                           = c.End
		_ func(bool) *binary.WriteChain                 = c.Bool
		_ func(byte) *binary.WriteChain                 = c.Byte
		_ func([]byte) *binary.WriteChain               = c.ByteSlice
		_ func(complex64) *binary.WriteChain            = c.Complex64
		_ func(complex128) *binary.WriteChain           = c.Complex128
		_ func(float32) *binary.WriteChain              = c.Float32
		_ func(float64) *binary.WriteChain              = c.Float64
		_ func(int8) *binary.WriteChain                 = c.Int8
		_ func(int16) *binary.WriteChain                = c.Int16
		_ func(int32) *binary.WriteChain                = c.Int32
		_ func(int64) *binary.WriteChain                = c.Int64
		_ func(rune) *binary.WriteChain                 = c.Rune
		_ func(string) *binary.WriteChain               = c.String
		_ func(uint8) *binary.WriteChain                = c.Uint8
		_ func(uint16) *binary.WriteChain               = c.Uint16
		_ func(uint32) *binary.WriteChain               = c.Uint32
		_ func(uint64) *binary.WriteChain               = c.Uint64
		_ func(*binary.WriteChain, []byte) (int, error) = (*binary.WriteChain).Write
		_ struct{ io.Writer }                           = struct{ io.Writer }{c.Writer}
		_ stdbinary.ByteOrder                           = c.ByteOrder
	)
	var (
		_ io.Reader                   = r
		_ func(p []byte) (int, error) = r.Read
		_ func() (int, error)         = r.End
		_ func() bool                 = r.Bool
		_ func() byte                 = r.Byte
		_ func() complex64            = r.Complex64
		_ func() complex128           = r.Complex128
		_ func() float32              = r.Float32
		_ func() float64              = r.Float64
		_ func() int8                 = r.Int8
		_ func() int16                = r.Int16
		_ func() int32                = r.Int32
		_ func() int64                = r.Int64
		_ func() rune                 = r.Rune
		_ func() uint8                = r.Uint8
		_ func() uint16               = r.Uint16
		_ func() uint32               = r.Uint32
		_ func() uint64               = r.Uint64
		_ stdbinary.ByteOrder         = r.ByteOrder
	)
}

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
