package binary_test

import (
	"errors"
	"fmt"

	"github.com/octet-go/octet/binary"
)

// The sections of an ELF file. Its numbers have 32 or 64 bits, and either byte order.
func Example_elf() {
	sections, err := elfSections[binary.Little](goFile("debug/elf/testdata/gcc-amd64-linux-exec"))
	fmt.Println(len(sections), sections[1], err)
	// Output: 37 .interp 0x400200 28 <nil>
}

func elfSections[O binary.Order](file []byte) (sections []string, err error) {
	d := binary.NewDecoder[O](file)
	if d.Field("magic").String(4) != "\x7fELF" {
		d.Fail(errors.New("not an ELF file"))
	}
	word := func(d *binary.Decoder[O]) uint64 { return uint64(d.Uint32()) }
	if d.Uint8() == 2 {
		word = (*binary.Decoder[O]).Uint64
	}
	d.Skip(11 + 8)
	_, _, headers := word(&d), word(&d), word(&d)
	d.Skip(10)
	size, count, strings := d.Uint16(), d.Uint16(), d.Uint16()
	if d.Err() != nil {
		return nil, d.Err()
	}
	names := at[O](file, headers+8+uint64(size)*uint64(strings))
	_, _, table := word(&names), word(&names), word(&names)
	for d = at[O](file, headers); count > 0 && d.Err() == nil; count-- {
		header := binary.NewDecoder[O](d.Field("section").Bytes(int(size)))
		name := at[O](file, table+uint64(header.Uint32()))
		header.Skip(4)
		_, addr, _, size := word(&header), word(&header), word(&header), word(&header)
		sections = append(sections, fmt.Sprintf("%s %#x %d", name.Until(0, 255), addr, size))
		d.Fail(errors.Join(header.Err(), name.Err()))
	}
	return sections, d.Err()
}
