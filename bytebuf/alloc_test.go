package bytebuf_test

import (
	"bytes"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/octet-go/octet/bytebuf"
	"github.com/octet-go/octet/internal/sanitize"
)

var (
	sink    string
	bytes64 = []byte(text100[:64])
	source  = strings.NewReader(text1000)
)

// TestAllocs pins the number of allocations. The second number is for the build tag
// octet_purego, with which String copies.
func TestAllocs(t *testing.T) {
	if sanitize.Enabled {
		return // the compiler makes other code then; CI also tests without it
	}
	big := bytebuf.NewPointer()
	big.Grow(4000)
	again := bytebuf.NewPointer()
	p := make([]byte, 100)
	for _, test := range []struct {
		name         string
		want, purego float64
		do           func()
	}{
		{"New and a local string of 64 bytes", 0, 1, func() {
			b := bytebuf.New()
			b.Write(bytes64)
			if b.String() != text100[:64] {
				t.Error("wrong string")
			}
		}},
		{"New and a local string of 32 bytes", 0, 0, func() {
			b := bytebuf.New()
			b.WriteString(text100[:30])
			b.WriteByte('x')
			b.WriteByte('y')
			if b.String() == "" {
				t.Error("wrong string")
			}
		}},
		{"NewPointer, writing and reading 64 bytes", 0, 0, func() {
			b := bytebuf.NewPointer()
			b.WriteString(text100[:60])
			b.WriteRune('☺')
			b.Read(p[:10])
			b.ReadByte()
			b.UnreadByte()
			b.ReadRune()
			b.UnreadRune()
			b.Truncate(b.Len() - 1)
			if len(b.Bytes()) != 52 || len(b.Next(3)) != 3 {
				t.Error("wrong length")
			}
			b.Reset()
		}},
		{"New and a local string of 33 bytes", 0, 1, func() {
			b := bytebuf.New()
			b.WriteString(text100[:33])
			if b.String() == "" {
				t.Error("wrong string")
			}
		}},
		{"a local string of 32 bytes from a larger array", 0, 0, func() {
			if big.Reset(); big.String() != "" {
				t.Error("wrong string")
			}
			big.WriteString(text100[:32])
			if big.String() == "" {
				t.Error("wrong string")
			}
		}},
		{"New and an empty string", 0, 0, func() { b := bytebuf.New(); sink = b.String() }},
		{"New and a string of 5 bytes", 1, 1, func() { b := bytebuf.New(); b.Write(bytes64[:5]); sink = b.String() }},
		{"New and a string of 64 bytes", 1, 1, func() { b := bytebuf.New(); b.Write(bytes64); sink = b.String() }},
		{"New and a string of 100 bytes", 1, 2, func() { b := bytebuf.New(); b.WriteString(text100); sink = b.String() }},
		{"New and a string of 1,000 bytes", 1, 2, func() { b := bytebuf.New(); b.WriteString(text1000); sink = b.String() }},
		{"the same twice", 1, 3, func() {
			b := bytebuf.New()
			b.WriteString(text1000)
			sink = b.String()
			sink = b.String()
		}},
		{"zero value and a string of 64 bytes", 1, 2, func() { var b bytebuf.Buffer; b.Write(bytes64); sink = b.String() }},
		{"a buffer used again", 1, 1, func() { again.Reset(); again.WriteString(text1000); sink = again.String() }},
		{"NewReader", 2, 2, func() {
			b := bytebuf.New()
			b.WriteString(text100)
			if bytebuf.NewReader(&b).Len() != 100 {
				t.Error("wrong length")
			}
		}},
		{"AvailableBuffer", 0, 0, func() {
			big.Reset()
			for i := range 100 {
				big.Write(strconv.AppendInt(big.AvailableBuffer(), int64(i), 10))
			}
		}},
		{"Grow and writing", 1, 1, func() {
			b := bytebuf.New()
			b.Grow(1000)
			for range 100 {
				b.WriteString("0123456789")
			}
		}},
		{"ReadFrom into a buffer with room", 0, 0, func() {
			big.Reset()
			source.Reset(text1000)
			big.ReadFrom(source)
		}},
		{"WriteTo", 0, 0, func() { big.Reset(); big.WriteString(text1000); big.WriteTo(io.Discard) }},
		{"ReadBytes", 1, 1, func() { big.Reset(); big.WriteString("line\nrest"); big.ReadBytes('\n') }},
		{"ReadString", 1, 1, func() { big.Reset(); big.WriteString("line\nrest"); sink, _ = big.ReadString('\n') }},
		{"New and WriteTo, which move it to the heap", 1, 1, func() {
			b := bytebuf.New()
			b.WriteString(text100[:60])
			b.WriteTo(io.Discard)
		}},
	} {
		want := test.want
		switch {
		case purego:
			want = test.purego
		case !atomicsInline && strings.Contains(test.name, "local"):
			want = 1 // String is not inlined, so every string is on the heap
		}
		if got := testing.AllocsPerRun(100, test.do); got != want {
			t.Errorf("%s: %v allocations, want %v", test.name, got, want)
		}
	}
}

// A Buffer that was made for what it reads does not grow.
func TestReadFromKeepsTheRightSize(t *testing.T) {
	for _, n := range []int{bytebuf.MinRead, 600, 1000, 1 << 10, 5000, 8 << 10, 100_000, 1 << 20} {
		var b bytebuf.Buffer
		b.Grow(n)
		size := b.Cap()
		if got, err := b.ReadFrom(bytes.NewReader(make([]byte, n))); got != int64(n) || err != nil {
			t.Errorf("%d bytes: %d, %v", n, got, err)
		}
		if b.Cap() != size {
			t.Errorf("%d bytes: grew from %d to %d", n, size, b.Cap())
		}
	}
}
