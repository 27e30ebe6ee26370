//lint:file-ignore SA1019 programs written for the earlier package misuse memory by these names

package main

import (
	"io"

	"github.com/octet-go/octet/bytespool"
	earlier "github.com/octet-go/octet/compat/bytespool/buffer"
)

var oct009 = class{
	code:  "OCT009",
	title: "dirty reuse",
	kinds: []kind{
		{
			what: "old bytes are sent, hashed or compared",
			programs: []program{
				{sentWhole, "the whole slice is sent, not the part that was written"},
				{grownNotFilled, "Grow of compat lengthens a Buffer, and nothing is written there"},
				{newInPlaceOfMake, "append to a slice of New, which is not empty"},
			},
		},
	},
	alike: oct009Alike,
}

func sentWhole() {
	b := bytespool.New(1024)
	copy(b, "HTTP/1.1 200 OK\r\n\r\n")
	io.Discard.Write(b)
	bytespool.Release(b)
}

func grownNotFilled() {
	buf := earlier.NewString("length: ")
	buf.Grow(8)
	buf.WriteTo(io.Discard)
	buf.Release()
}

func newInPlaceOfMake() {
	b := bytespool.New(64)
	b = bytespool.Append(b, []byte("a line\n")...)
	io.Discard.Write(b)
	bytespool.Release(b)
}
