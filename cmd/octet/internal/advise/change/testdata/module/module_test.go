package module

import (
	"bytes"
	"strings"
	"testing"
)

func Test(t *testing.T) {
	for i := 0; i < 3; i++ { // what is released is taken again
		if n, err := Sum(strings.NewReader("\x01\x02\x03"), 3); n != 6 || err != nil {
			t.Fatal(n, err)
		}
		if _, err := Sum(strings.NewReader("abc"), 8); err == nil {
			t.Fatal("no error")
		}
		var w bytes.Buffer
		Header(&w, true)
		Header(&w, false)
		Join(&w, [][]byte{[]byte("one"), []byte("two and more")}, "name")
		Clone(&w, []byte("a"))
		Cut(&w, []byte("xy"))
		Both(&w, []byte("z"))
		Either(&w, 2)
		Either(&w, 5)
		three := []byte("333")
		Replace(&w, three)
		Replace(&w, nil)
		new(conn).keep([]byte("kept"))
		if got := w.String(); got != "\x10\x00\x00\x00\x00\x00\x00\x00"+"\x00\x00\x00\x00\x00\x00\x00\x00"+"0one:1two and more:name"+"b"+"y"+"z1z2"+"\x00\x00\x00\x00"+"\x00\x00\x00\x00\x00"+"333\x00\x00" {
			t.Fatalf("%q", got)
		}
		if Check("abc") != 0x352441c2 {
			t.Fatal("checksum")
		}
	}
}
