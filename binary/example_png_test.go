package binary_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"

	"github.com/octet-go/octet/binary"
)

// The chunks of a PNG file. Each begins with its length and ends with a CRC. It is not
// a CRC-32C, so the example calculates it over the bytes that Since returns.
func Example_png() {
	var file bytes.Buffer
	if err := png.Encode(&file, image.NewGray(image.Rect(0, 0, 640, 480))); err != nil {
		fmt.Println(err)
	}
	img := file.Bytes()
	fmt.Println(walkPNG(img))

	img[20] ^= 1
	fmt.Println(walkPNG(img))
	fmt.Println(walkPNG(img[:30]))
	// Output:
	// IHDR 640x480
	// IDAT
	// IEND
	// <nil>
	// binary: IHDR at offset 33: wrong checksum
	// binary: IHDR at offset 29: want 4 bytes, have 1: unexpected EOF
}

func walkPNG(file []byte) error {
	d := binary.DecodeBE(file)
	if d.Field("signature").String(8) != "\x89PNG\r\n\x1a\n" {
		d.Fail(errors.New("not a PNG file"))
	}
	for d.Len() > 0 {
		size := d.Field("chunk").Uint32()
		var covered binary.Mark
		d.Mark(&covered)
		kind := d.String(4)
		data := d.Field(kind).Bytes(int(size))

		sum := crc32.ChecksumIEEE(d.Since(&covered))
		if d.Uint32() != sum {
			d.Fail(errors.New("wrong checksum")) // keeps the first error
		}
		if d.Err() != nil {
			break
		}
		switch kind {
		case "IHDR":
			h := binary.DecodeBE(data)
			fmt.Printf("%s %dx%d\n", kind, h.Uint32(), h.Uint32())
		default:
			fmt.Println(kind)
		}
	}
	return d.Err()
}
