package main

import (
	"bytes"
	"crypto/sha256"
	"io"
	"strings"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/bytespool/buffer"
)

var oct009 = class{
	code:  "OCT009",
	title: "dirty reuse",
	kinds: []kind{
		{
			what: "old bytes are sent, hashed or compared",
			programs: []program{
				{sentWhole, "the whole slice is sent, not the part that was written"},
				{hashedWhole, "a short read is hashed in full"},
				{grownNotFilled, "Grow lengthens a Buffer, and nothing is written there"},
				{newInPlaceOfMake, "append to a slice of New, which is not empty"},
				{comparedBeyond, "keys of one length are compared with their padding"},
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

func hashedWhole() {
	b := bytespool.New(512)
	strings.NewReader("a short body").Read(b)
	use(sha256.Sum256(b))
	bytespool.Release(b)
}

func grownNotFilled() {
	buf := buffer.NewString("length: ")
	buf.Grow(8)
	buf.WriteTo(io.Discard)
	buf.Release()
}

func newInPlaceOfMake() {
	b := bytespool.New(64)
	b = bytespool.AppendString(b, "a line\n")
	io.Discard.Write(b)
	bytespool.Release(b)
}

func comparedBeyond() {
	a, b := bytespool.New(32), bytespool.New(32)
	copy(a, "key")
	copy(b, "key")
	use(bytes.Compare(a, b))
	bytespool.Release(a)
	bytespool.Release(b)
}
