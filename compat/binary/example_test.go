package binary_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/octet-go/octet/compat/binary"
)

// A chain writes a record, and is reused for the next.
func ExampleWriteChain() {
	var out bytes.Buffer
	c := binary.WriteChain{Writer: &out, ByteOrder: binary.BigEndian}

	n, err := c.Uint16(0xcafe).Uint8(1).Uint32(5).String("hello").End()
	fmt.Printf("%d bytes, error %v: % x\n", n, err, out.Bytes())

	out.Reset()
	n, err = c.Uint16(0xcafe).Uint8(2).Uint16(300).End()
	fmt.Printf("%d bytes, error %v: % x\n", n, err, out.Bytes())
	// Output:
	// 12 bytes, error <nil>: ca fe 01 00 00 00 05 68 65 6c 6c 6f
	// 5 bytes, error <nil>: ca fe 02 01 2c
}

// A Reader reads exactly its fields. The first error sticks, so one check at the end is
// enough.
func ExampleReader() {
	in := strings.NewReader("\xca\xfe\x00\x05hello, world")
	r := binary.Reader{Reader: in, ByteOrder: binary.BigEndian}

	magic, size := r.Uint16(), r.Uint16()
	text := make([]byte, size)
	io.ReadFull(&r, text)
	n, err := r.End()
	fmt.Printf("%#x %q, %d bytes, error %v\n", magic, text, n, err)

	rest, _ := io.ReadAll(in) // nothing was read ahead
	fmt.Printf("%q\n", rest)

	r.Uint32()
	_, err = r.End()
	fmt.Println(err)
	// Output:
	// 0xcafe "hello", 9 bytes, error <nil>
	// ", world"
	// EOF
}
