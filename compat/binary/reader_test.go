package binary_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/octet-go/octet/compat/binary"
)

// readerFunc is an io.Reader that is not called statically.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestNilReader(t *testing.T) {
	var r *binary.Reader
	if n, err := r.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("Read = %d, %v", n, err)
	}
	if r.Bool() || r.Byte() != 0 || r.Complex64() != 0 || r.Complex128() != 0 || r.Float32() != 0 || r.Float64() != 0 ||
		r.Int8() != 0 || r.Int16() != 0 || r.Int32() != 0 || r.Int64() != 0 || r.Rune() != 0 || r.Uint8() != 0 ||
		r.Uint16() != 0 || r.Uint32() != 0 || r.Uint64() != 0 {
		t.Error("a nil Reader has read something")
	}
	if n, err := r.End(); n != -1 || err == nil {
		t.Errorf("End = %d, %v", n, err)
	}
}

// A missing io.Reader or ByteOrder is reported by the first field that needs it.
func TestIncompleteReader(t *testing.T) {
	in := func() io.Reader { return strings.NewReader("\x01\x01\x01\x81\x01\x01") }
	for _, test := range []struct {
		name   string
		reader binary.Reader
		read   func(r *binary.Reader)
		err    string
	}{
		{"no Reader, Byte", binary.Reader{ByteOrder: binary.BigEndian}, func(r *binary.Reader) { r.Byte() }, "to read from"},
		{"no Reader, Uint32", binary.Reader{ByteOrder: binary.BigEndian}, func(r *binary.Reader) { r.Uint32() }, "to read from"},
		{"no Reader, Read", binary.Reader{}, func(r *binary.Reader) { r.Read(nil) }, "to read from"},
		{"no order, Uint16", binary.Reader{Reader: in()}, func(r *binary.Reader) { r.Uint16() }, "ByteOrder"},
		{"no order, Uint16 of bytes.Reader", binary.Reader{Reader: bytes.NewReader([]byte{1, 2})}, func(r *binary.Reader) { r.Uint16() }, "ByteOrder"},
		{"no order, needs none", binary.Reader{Reader: in()}, func(r *binary.Reader) {
			if !r.Bool() || r.Byte() != 1 || r.Int8() != 1 {
				t.Error("read something else")
			}
		}, ""},
	} {
		r := test.reader
		test.read(&r)
		if _, err := r.End(); test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%s: End: %v", test.name, err)
		}
	}
}

// An io.Reader that never returns anything is an error.
func TestReaderWithoutProgress(t *testing.T) {
	r := binary.Reader{ByteOrder: binary.BigEndian, Reader: readerFunc(func([]byte) (int, error) { return 0, nil })}
	r.Uint16()
	if n, err := r.End(); n != 0 || err != io.ErrNoProgress {
		t.Errorf("End = %d, %v", n, err)
	}
}
