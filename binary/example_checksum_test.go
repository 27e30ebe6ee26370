package binary_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/octet-go/octet/binary"
)

var errChecksum = errors.New("wrong checksum")

// A log whose records end with a checksum. An Appender is a slice, so the bytes that a
// checksum covers are those from where the record began; a decoder has them from Since.
func Example_checksum() {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)

	log := binary.LE(nil)
	for i, text := range []string{"started", "stopped"} {
		start := len(log)
		log = log.Uint32(uint32(1000 + i)).String8(text)
		log = log.Uint32(crc32.Checksum(log[start:], castagnoli))
	}

	var record binary.Mark
	read := func() {
		d := binary.DecodeLE(log)
		for d.Len() > 0 {
			d.Mark(&record)
			when, text := d.Uint32(), d.String8()
			sum := crc32.Checksum(d.Since(&record), castagnoli)
			if d.Field("checksum").Uint32() != sum {
				d.Fail(errChecksum)
				break
			}
			fmt.Println(when, text)
		}
		fmt.Println(d.Err())
	}
	readStream := func() {
		d := binary.NewStreamDecoder[binary.Little](bytes.NewReader(log))
		for d.More() {
			d.Mark(&record)
			when, text := d.Uint32(), d.String8()
			sum := crc32.Checksum(d.Since(&record), castagnoli) // before the next read
			if d.Field("checksum").Uint32() != sum {
				d.Fail(errChecksum)
				break
			}
			fmt.Println(when, text)
		}
		fmt.Println(d.Err())
	}
	read()
	log[20] ^= 1
	readStream()
	// Output:
	// 1000 started
	// 1001 stopped
	// <nil>
	// 1000 started
	// binary: checksum at offset 31: wrong checksum
}

// A checksum that precedes what it covers: Begin8 and its kin leave room for a length,
// and Pad for anything else.
func ExampleAppender_Pad() {
	b := binary.BE("head").Pad(4)
	b = b.Uint16(7).String8("body")
	b[:4].Uint32(crc32.ChecksumIEEE(b[8:])) // into the room
	fmt.Printf("%x\n", b)
	// Output: 686561648f059da8000704626f6479
}
