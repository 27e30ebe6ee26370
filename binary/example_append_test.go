package binary_test

import (
	"errors"
	"fmt"
	"io"

	"github.com/octet-go/octet/binary"
)

// The result of a chain is a byte slice, which replaces the one it began with.
func ExampleLE() {
	buf := make([]byte, 0, 64)
	buf = binary.LE(buf).Uint16(0x0102).Int8(-1).Float32(1.5).String8("hi")
	fmt.Printf("% x\n", buf)
	// Output: 02 01 ff 00 00 c0 3f 02 68 69
}

// Reads after a failure return zero, so one check of the error is enough.
func ExampleDecoder() {
	parse := func(p []byte) {
		d := binary.DecodeBE(p)
		id := d.Field("id").Uint16()
		size := d.Field("size").Uint32()
		name := d.Field("name").String8()
		if err := d.Done(); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(id, size, name)
	}
	msg := binary.BE(nil).Uint16(7).Uint32(1 << 20).String8("logo")
	parse(msg)
	parse(msg[:5])
	parse(msg[:9])
	parse(append(msg, 0))
	// Output:
	// 7 1048576 logo
	// binary: size at offset 2: want 4 bytes, have 3: unexpected EOF
	// binary: name at offset 7: want 4 bytes, have 2: unexpected EOF
	// binary: name at offset 11: have 1 byte: bytes left over
}

// A stream ends in order where nothing of the next value has come.
func ExampleError() {
	for _, in := range [][]byte{{}, {1}} {
		d := binary.DecodeBE(in)
		d.Uint32()
		switch err := d.Err(); {
		case errors.Is(err, io.EOF):
			fmt.Println("the end")
		case errors.Is(err, io.ErrUnexpectedEOF):
			fmt.Println("cut off:", err)
		}
	}
	// Output:
	// the end
	// cut off: binary: at offset 0: want 4 bytes, have 1: unexpected EOF
}

// TIFF files begin with their byte order. A generic function reads the header in either.
func ExampleOrder() {
	for _, file := range []string{"II*\x00\x08\x00\x00\x00", "MM\x00*\x00\x00\x00\x08", "MZ"} {
		if le := binary.DecodeLE([]byte(file)); le.String(2) == "II" {
			fmt.Println(tiffHeader(&le))
		} else if be := binary.DecodeBE([]byte(file)); be.String(2) == "MM" {
			fmt.Println(tiffHeader(&be))
		} else {
			fmt.Println("no TIFF")
		}
	}
	// Output:
	// 8 <nil>
	// 8 <nil>
	// no TIFF
}

// tiffHeader returns the offset of the first directory.
func tiffHeader[O binary.Order](d *binary.Decoder[O]) (uint32, error) {
	if version := d.Field("version").Uint16(); version != 42 {
		d.Fail(fmt.Errorf("%d is not the version of TIFF", version))
	}
	return d.Field("directory").Uint32(), d.Err()
}
