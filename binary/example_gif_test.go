package binary_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/octet-go/octet/binary"
)

// The frames of a GIF file. Content is in blocks of up to 255 bytes; an empty one ends it.
func Example_gif() {
	frames, err := gifFrames(goFile("image/testdata/triangle-001.gif"))
	fmt.Println(strings.Join(frames, "\n"), err)
	// Output: (0,0)-(256,128) <nil>
}

func gifFrames(file []byte) (frames []string, err error) {
	d := binary.DecodeLE(file)
	if v := d.Field("version").String(6); v != "GIF87a" && v != "GIF89a" {
		d.Fail(errors.New("not a GIF file"))
	}
	palette := func(flags uint8) {
		if flags&0x80 != 0 {
			d.Field("palette").Skip(3 << (flags&7 + 1))
		}
	}
	d.Skip(4)
	flags := d.Uint8()
	d.Skip(2)
	palette(flags)
	for d.Err() == nil {
		switch kind := d.Field("block").Uint8(); kind {
		case 0x3b:
			return frames, nil
		case 0x21:
			d.Skip(1)
		case 0x2c:
			x, y, w, h := int(d.Uint16()), int(d.Uint16()), int(d.Uint16()), int(d.Uint16())
			palette(d.Uint8())
			d.Skip(1)
			frames = append(frames, fmt.Sprintf("(%d,%d)-(%d,%d)", x, y, x+w, y+h))
		default:
			d.Fail(errors.New("no such block"))
		}
		for len(d.Bytes8()) > 0 {
		}
	}
	return frames, d.Err()
}
