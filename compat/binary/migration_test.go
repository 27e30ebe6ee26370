package binary_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/octet-go/octet/compat/binary"
)

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
