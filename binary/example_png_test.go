package binary_test

import (
	"errors"
	"fmt"
	"go/build"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"

	"github.com/octet-go/octet/binary"
)

// The chunks of a PNG file. The length of a chunk does not count its kind, and the
// checksum is not a CRC-32C, so the example calculates it over the bytes that Since returns.
func Example_png() {
	img := goFile("image/png/testdata/gray-gradient.png")
	chunks, err := pngChunks(img)
	fmt.Println(strings.Join(chunks, "\n"), err)

	img[20] ^= 1
	fmt.Println(pngChunks(img))
	// Output:
	// IHDR 1x16
	// IDAT
	// IEND <nil>
	// [] binary: IHDR at offset 33: wrong checksum
}

// goFile returns a file of Go's own source tree.
func goFile(path string) []byte {
	file, err := os.ReadFile(filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(path)))
	if err != nil {
		panic(err)
	}
	return file
}

func pngChunks(file []byte) (chunks []string, err error) {
	d := binary.DecodeBE(file)
	if d.Field("signature").String(8) != "\x89PNG\r\n\x1a\n" {
		d.Fail(errors.New("not a PNG file"))
	}
	var chunk, covered binary.Mark
	for d.Len() > 0 {
		d.Field("chunk").Begin32(chunk.Plus(-4))
		d.Mark(&covered)
		kind := d.String(4)
		text := kind
		if d.Field(kind); kind == "IHDR" {
			text = fmt.Sprintf("%s %dx%d", kind, d.Uint32(), d.Uint32())
		}
		d.Skip(d.Len())
		d.End(&chunk)
		sum := crc32.ChecksumIEEE(d.Since(&covered))
		if d.Field("checksum").Uint32() != sum {
			d.Field(kind).Fail(errors.New("wrong checksum")) // keeps the first error
		}
		if d.Err() == nil {
			chunks = append(chunks, text)
		}
	}
	return chunks, d.Err()
}
