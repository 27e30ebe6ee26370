package binary_test

import (
	"bytes"
	"fmt"

	"github.com/octet-go/octet/binary"
)

// Samples of a named type, preceded by their count.
func ExampleAppendNumbers() {
	type celsius float32
	samples := []celsius{21.5, -3, 0.25}

	b := binary.BE(nil).Uint8(uint8(len(samples)))
	b = binary.AppendNumbers(b, samples).String("end")
	fmt.Printf("% x\n", b)
	// Output: 03 41 ac 00 00 c0 40 00 00 3e 80 00 00 65 6e 64
}

// The count comes from the input. If it is false, DecodeNumbers allocates nothing.
func ExampleDecodeNumbers() {
	parse := func(in []byte) {
		d := binary.DecodeBE(in)
		v := binary.DecodeNumbers(&d, []uint16(nil), int(d.Uint16()))
		fmt.Println(v, d.Done())
	}
	parse([]byte{0, 3, 0, 1, 0, 2, 0, 3})
	parse([]byte{0xff, 0xff, 0, 1, 0, 2})
	// Output:
	// [1 2 3] <nil>
	// [] binary: at offset 2: want 131070 bytes, have 4: unexpected EOF
}

// Blocks of numbers, each preceded by its count. All blocks are read into the same
// slice.
func ExampleReadNumbers() {
	var file bytes.Buffer
	e := binary.NewStreamEncoder[binary.Little](&file)
	for _, block := range [][]float64{{1, 1.5}, {-2}, {}} {
		binary.WriteNumbers(e.Uint32(uint32(len(block))), block)
	}
	if err := e.Close(); err != nil {
		fmt.Println(err)
	}

	d := binary.NewStreamDecoder[binary.Little](&file)
	var block []float64
	for d.More() {
		block = binary.ReadNumbers(d, block[:0], int(d.Uint32()))
		fmt.Println(block)
	}
	fmt.Println(d.Err())
	// Output:
	// [1 1.5]
	// [-2]
	// []
	// <nil>
}
