package bytebuf_test

import (
	"bytes"
	"io"

	"github.com/octet-go/octet/bytebuf"
)

// Everything that programs written for github.com/intel-go/bytebuf may name, with
// its type, and the interfaces that its Buffer had. This file need only compile;
// TestMethods compares the methods with those of bytes.Buffer.
var (
	_ func() bytebuf.Buffer        = bytebuf.New
	_ func() *bytebuf.Buffer       = bytebuf.NewPointer
	_ func([]byte) *bytebuf.Buffer = bytebuf.NewBuffer
	_ func(string) *bytebuf.Buffer = bytebuf.NewBufferString
	_ error                        = bytebuf.ErrTooLarge
	_ [bytebuf.MinRead]byte        = [bytes.MinRead]byte{}

	_ interface {
		io.ReadWriter
		io.ReaderFrom
		io.WriterTo
		io.ByteScanner
		io.ByteWriter
		io.RuneScanner
		io.StringWriter
		Bytes() []byte
		Cap() int
		Grow(int)
		Len() int
		Next(int) []byte
		ReadBytes(byte) ([]byte, error)
		ReadString(byte) (string, error)
		Reset()
		String() string
		Truncate(int)
		WriteRune(rune) (int, error)
	} = (*bytebuf.Buffer)(nil)
)
