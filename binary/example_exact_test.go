package binary_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/octet-go/octet/binary"
)

// A chain writes a record, and is reused for the next.
func ExampleWriteChain() {
	var out bytes.Buffer
	c := binary.WriteChain{Writer: &out, ByteOrder: binary.BigEndian}

	n, err := c.Uint16(0xcafe).Uint8(1).Uint32(5).String("hello").End()
	fmt.Printf("%d bytes, error %v: % x\n", n, err, out.Bytes())

	out.Reset()
	n, err = c.Uint16(0xcafe).Uint8(2).Uvarint(300).End()
	fmt.Printf("%d bytes, error %v: % x\n", n, err, out.Bytes())
	// Output:
	// 12 bytes, error <nil>: ca fe 01 00 00 00 05 68 65 6c 6c 6f
	// 5 bytes, error <nil>: ca fe 02 ac 02
}

// Fields are not buffered, so they may alternate with other output.
func ExampleWriteChain_embedded() {
	type frame struct {
		binary.WriteChain
		name string
	}
	f := frame{binary.WriteChain{Writer: os.Stdout, ByteOrder: binary.LittleEndian}, "point"}
	f.Byte('<')
	fmt.Print(f.name)
	f.Byte('>').Byte('\n')
	// Output: <point>
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

func ExampleAppendSlice() {
	type celsius float32
	b := binary.AppendSlice(nil, binary.BigEndian, []uint16{1, 2, 0x0304})
	b = binary.AppendSlice(b, binary.LittleEndian, []celsius{21.5})
	fmt.Printf("% x\n", b)
	// Output: 00 01 00 02 03 04 00 00 ac 41
}

func ExampleDecodeSlice() {
	in := []byte{0, 1, 0, 2, 3, 4, 9}
	v := make([]uint16, 3)
	n, err := binary.DecodeSlice(in, binary.BigEndian, v)
	fmt.Println(v, n, err)

	_, err = binary.DecodeSlice(in[n:], binary.BigEndian, v)
	fmt.Println(err)
	// Output:
	// [1 2 772] 6 <nil>
	// binary: 3 elements take 6 bytes, the input has 1: unexpected EOF
}

func ExampleEncodeSlice() {
	var b [6]byte
	n, err := binary.EncodeSlice(b[:], binary.LittleEndian, []int16{-1, 2})
	fmt.Printf("% x %d %v\n", b, n, err)

	_, err = binary.EncodeSlice(b[n:], binary.LittleEndian, []int16{-1, 2})
	fmt.Println(err)
	// Output:
	// ff ff 02 00 00 00 4 <nil>
	// binary: 2 elements take 4 bytes, the buffer has 2: short buffer
}

// Slices in a chain. The caller writes their length, and reads into its own memory.
func ExampleReadSlice() {
	var stream bytes.Buffer
	samples := []float64{0.5, -1, 4}
	c := binary.WriteChain{Writer: &stream, ByteOrder: binary.BigEndian}
	c.Uint32(uint32(len(samples)))
	binary.WriteSlice(&c, samples)
	fmt.Println(c.End())

	r := binary.Reader{Reader: &stream, ByteOrder: binary.BigEndian}
	got := make([]float64, min(r.Uint32(), 1000))
	n := binary.ReadSlice(&r, got)
	fmt.Println(n, got)
	fmt.Println(r.End())
	// Output:
	// 28 <nil>
	// 3 [0.5 -1 4]
	// 28 <nil>
}
