package module

import (
	"bytes"
	"strings"
	"testing"
)

const each = "\x00\x00\x00\x03one\x00\x00\x00\x012\x00\x00\x00\t333333333\x00\x00\x00\x014\x00\x00\x00\x00\x00\x00\x00\x016"

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
		w.Reset()
		parts := [][]byte{[]byte("one"), []byte("2"), []byte("333333333"), []byte("4"), nil, []byte("6")}
		Each(&w, parts)
		Until(&w, parts)
		Until(&w, [][]byte{[]byte("a"), nil, []byte("b")})
		Encode(&w, 1)
		Drain(&w, 3)
		Lines(&w, parts[:2])
		All(&w, strings.NewReader("all"))
		if got := w.String(); got != each+"\x00one;\x012;\x02333333333;\x00a;1\n2.drainedone\n2\nll!" {
			t.Fatalf("%q", got)
		}
		if AllOf(strings.NewReader("abcd")) != 4 {
			t.Fatal("read")
		}
		if Check("abc") != 0x352441c2 {
			t.Fatal("checksum")
		}
	}
}
