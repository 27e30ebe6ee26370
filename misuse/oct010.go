package main

import (
	"bytes"

	"github.com/octet-go/octet/bytespool"
)

var oct010 = class{
	code:  "OCT010",
	title: "pinned",
	kinds: []kind{
		{
			what: "a huge buffer serves small traffic",
			programs: []program{
				{hugeForSmall, "a buffer of the largest size for messages of 100 bytes"},
				{smallPartKept, "16 bytes of a megabyte are kept"},
			},
		},
	},
	alike: oct010Alike,
}

func hugeForSmall() {
	b := bytespool.New(4 << 20)
	for range 100 {
		use(copy(b, "a small message"))
	}
	bytespool.Release(b)
}

func smallPartKept() {
	b := bytespool.New(1 << 20)
	id := bytes.TrimRight(b[:16], "\x00")
	kept = &session{user: id}
}
