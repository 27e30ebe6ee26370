package binary_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/octet-go/octet/binary"
)

// The sections of a PE file. Names of more than 8 bytes are elsewhere in the file.
func Example_pe() {
	sections, err := peSections(goFile("debug/pe/testdata/gcc-386-mingw-exec"))
	fmt.Println(len(sections), sections[0], err)
	// Output: 15 .text 0x1000 3584 <nil>
}

func peSections(file []byte) (sections []string, err error) {
	d := binary.DecodeLE(file)
	if string(d.Peek(2)) == "MZ" {
		d.Skip(0x3c)
		d = at[binary.Little](file, uint64(d.Uint32()))
		if d.Field("magic").String(4) != "PE\x00\x00" {
			d.Fail(errors.New("not a PE file"))
		}
	}
	d.Skip(2)
	count := d.Field("sections").Uint16()
	d.Skip(4)
	symbols, n := d.Uint32(), d.Uint32()
	table := uint64(symbols) + 18*uint64(n)
	d.Skip(2 + int(d.Uint16()))
	for ; count > 0 && d.Err() == nil; count-- {
		name := strings.TrimRight(d.Field("name").String(8), "\x00")
		_, addr, size := d.Uint32(), d.Uint32(), d.Uint32()
		d.Skip(20)
		if digits, long := strings.CutPrefix(name, "/"); long {
			off, err := strconv.ParseUint(digits, 10, 32)
			s := at[binary.Little](file, table+off)
			name = string(s.Until(0, 255))
			d.Fail(errors.Join(err, s.Err()))
		}
		sections = append(sections, fmt.Sprintf("%s %#x %d", name, addr, size))
	}
	return sections, d.Err()
}
