package oct002

import (
	"bytes"
	"strings"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytespool"
)

var byName = map[string][]byte{}

func mapped(b []byte) {
	b = append(bytespool.Make(64), b...)
	defer bytespool.Release(b)
	d := binary.DecodeBE(b)
	byName["a"] = d.Bytes16() // want `OCT002: .* outlives its release`
}

func partMapped(into map[string][]byte, n int) {
	b := bytespool.New(n)
	into["a"] = b[2:4] // want `OCT002: b outlives its release`
	bytespool.Release(b)
}

type shown struct {
	parts [][]byte
	names map[string]bool
	one   []byte
}

func (s *shown) listed(n int) {
	b := bytespool.New(n)
	d := binary.DecodeBE(b)
	s.parts = append(s.parts, d.Bytes16()) // want `OCT002: b outlives its release`
	bytespool.Release(b)
}

func (s *shown) copied(n int) {
	b := bytespool.New(n)
	d := binary.DecodeBE(b)
	s.parts = append(s.parts, bytes.Clone(d.Bytes16()))
	s.names[d.String16()] = true
	s.names[strings.Clone(d.String16())] = true
	bytespool.Release(b)
}

func (s *shown) own(n int) int {
	parts := map[int][]byte{}
	var list [][]byte
	b := bytespool.New(n)
	defer bytespool.Release(b)
	d := binary.DecodeBE(b)
	for i := range n {
		parts[i] = d.Bytes16()
		list = append(list, d.Bytes16())
	}
	return len(parts) + len(list)
}

func (s *shown) deleted(n int) {
	b := bytespool.New(n)
	d := binary.DecodeBE(b)
	byName["a"] = d.Bytes16()
	println(len(byName))
	delete(byName, "a")
	bytespool.Release(b)
}

func (s *shown) cutBack(n int) {
	b := bytespool.New(n)
	d := binary.DecodeBE(b)
	s.parts = append(s.parts, d.Bytes16())
	println(len(s.parts))
	s.reset()
	bytespool.Release(b)
}

func (s *shown) reset() { s.parts = s.parts[:0] }

// The whole is there to be taken again.
func (s *shown) whole(n int, wanted bool) {
	b := bytespool.New(n)
	byName["a"] = b
	if !wanted {
		bytespool.Release(b)
	}
}

func (s *shown) decided(n int, wanted bool) {
	b := bytespool.New(n)
	d := binary.DecodeBE(b)
	byName["a"] = d.Bytes16()
	if !wanted {
		bytespool.Release(b)
	}
}
