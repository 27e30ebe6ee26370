package main

import (
	"strings"

	"github.com/octet-go/octet/binary"
)

// What a StreamDecoder shows is in a buffer of its own, which no pool has.
var oct011 = class{
	code:  "OCT011",
	title: "stale window",
	kinds: []kind{
		{
			what: "what a StreamDecoder has shown is used after its next read",
			programs: []program{
				{keyAndValue, "the value of a pair may overwrite its key"},
				{namesListed, "a list has the names of all records, in one buffer"},
			},
		},
	},
	alike: oct011Alike,
}

// A pair is a record of a stream.
type pair struct{ key, value []byte }

func keyAndValue() {
	d := binary.NewStreamDecoder[binary.Big](strings.NewReader("\x00\x03key\x00\x05value"))
	p := pair{d.Bytes16(), d.Bytes16()}
	use(string(p.key) + string(p.value))
}

func namesListed() {
	d := binary.NewStreamDecoder[binary.Big](strings.NewReader("\x00\x03one\x00\x03two"))
	var names [][]byte
	for d.More() {
		names = append(names, d.Bytes16())
	}
	use(len(names))
}
