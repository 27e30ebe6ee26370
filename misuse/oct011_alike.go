package main

import (
	"bytes"
	"strings"

	"github.com/octet-go/octet/binary"
)

var oct011Alike = []program{
	{keyCloned, "the key of a pair is cloned before its value is read"},
	{namesCopied, "a list has strings, which are copies"},
}

func keyCloned() {
	d := binary.NewStreamDecoder[binary.Big](strings.NewReader("\x00\x03key\x00\x05value"))
	p := pair{bytes.Clone(d.Bytes16()), d.Bytes16()}
	if string(p.key) != "key" || string(p.value) != "value" {
		panic("read something else")
	}
}

func namesCopied() {
	d := binary.NewStreamDecoder[binary.Big](strings.NewReader("\x00\x03one\x00\x03two"))
	var names []string
	for d.More() {
		names = append(names, d.String16())
	}
	if strings.Join(names, " ") != "one two" {
		panic("read something else")
	}
}
