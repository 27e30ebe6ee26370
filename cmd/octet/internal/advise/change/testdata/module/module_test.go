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
		Join(&w, [][]byte{[]byte("one"), []byte("two and more")})
		Clone(&w, []byte("a"))
		Cut(&w, []byte("xy"))
		Either(&w, 2)
		Either(&w, 5)
		three := []byte("333")
		Replace(&w, three)
		Replace(&w, nil)
		new(conn).keep([]byte("kept"))
		if got := w.String(); got != "\x10\x00\x00\x00\x00\x00\x00\x00"+"\x00\x00\x00\x00\x00\x00\x00\x00"+"onetwo and more"+"b"+"y"+"\x00\x00\x00\x00"+"\x00\x00\x00\x00\x00"+"333\x00\x00" {
			t.Fatalf("%q", got)
		}
		w.Reset()
		Each(&w, [][]byte{[]byte("one"), []byte("2")})
		Encode(&w, 1)
		Drain(&w, 3)
		All(&w, strings.NewReader("all"))
		if got := w.String(); got != "\x00\x00\x00\x03one\x00\x00\x00\x0121\n2drainedll!" {
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
