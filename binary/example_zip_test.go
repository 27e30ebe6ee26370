package binary_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/octet-go/octet/binary"
)

// The directory of a ZIP file, which is found from its end.
func Example_zip() {
	files, err := zipDirectory(goFile("archive/zip/testdata/test.zip"))
	fmt.Println(strings.Join(files, "\n"), err)
	// Output:
	// test.txt 26 0xc3edd7c0
	// gophercolor16x16.png 785 0x54d531fe <nil>
}

func zipDirectory(file []byte) (files []string, err error) {
	tail := file[max(0, len(file)-22-0xffff):]
	end := bytes.LastIndex(tail, []byte("PK\x05\x06"))
	if end < 0 {
		return nil, errors.New("not a ZIP file")
	}
	d := binary.DecodeLE(tail[end:])
	d.Field("end").Skip(10)
	count := d.Uint16()
	d.Uint32()
	directory := d.Uint32()
	d.String16() // a comment
	if d.Err() != nil {
		return nil, d.Err()
	}
	for d = at[binary.Little](file, uint64(directory)); count > 0 && d.Err() == nil; count-- {
		if d.Field("entry").String(4) != "PK\x01\x02" {
			d.Fail(errors.New("not an entry"))
		}
		d.Skip(12)
		sum, _, size := d.Uint32(), d.Uint32(), d.Uint32()
		name, extra, comment := d.Uint16(), d.Uint16(), d.Uint16()
		d.Skip(12)
		files = append(files, fmt.Sprintf("%s %d %#x", d.String(int(name)), size, sum))
		d.Skip(int(extra) + int(comment))
	}
	return files, d.Err()
}
