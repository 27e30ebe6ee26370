package binary_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/octet-go/octet/binary"
)

// The segments of a Mach-O file. The length of a command counts its kind and itself.
func Example_macho() {
	segments, err := machoSegments(goFile("debug/macho/testdata/gcc-amd64-darwin-exec.base64"))
	fmt.Println(strings.Join(segments, "\n"), err)
	// Output:
	// __PAGEZERO 0x0 4294967296
	// __TEXT 0x100000000 4096
	// __DATA 0x100001000 4096
	// __LINKEDIT 0x100002000 4096 <nil>
}

func machoSegments(file []byte) (segments []string, err error) {
	const segment32, segment64 = 1, 0x19
	d := binary.DecodeLE(file)
	magic := d.Uint32()
	if magic != 0xfeedface && magic != 0xfeedfacf {
		d.Fail(errors.New("not a Mach-O file"))
	}
	d.Skip(12)
	count := d.Field("commands").Uint32()
	d.Skip(8 + 4*int(magic&1))
	var command binary.Mark
	for ; count > 0 && d.Err() == nil; count-- {
		kind := d.Field("command").Uint32()
		d.Begin32(command.Plus(8))
		if kind == segment32 || kind == segment64 {
			name := strings.TrimRight(d.String(16), "\x00")
			addr, size := uint64(0), uint64(0)
			if kind == segment64 {
				addr, size = d.Uint64(), d.Uint64()
			} else {
				addr, size = uint64(d.Uint32()), uint64(d.Uint32())
			}
			segments = append(segments, fmt.Sprintf("%s %#x %d", name, addr, size))
		}
		d.Skip(d.Len())
		d.End(&command)
	}
	return segments, d.Err()
}
