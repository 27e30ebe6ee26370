package oct002

import (
	"container/list"

	"github.com/octet-go/octet/binary"
	"github.com/octet-go/octet/bytespool"
)

var byName = map[string][]byte{}

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

func (s *shown) decided(n int, wanted bool) {
	b := bytespool.New(n)
	d := binary.DecodeBE(b)
	byName["a"] = d.Bytes16()
	if !wanted {
		bytespool.Release(b)
	}
}

func literalReturned(n int) map[string][]byte {
	b := bytespool.New(n)
	d := binary.DecodeBE(b)
	m := map[string][]byte{"a": d.Bytes16()} // want `OCT002: b outlives its release`
	bytespool.Release(b)
	return m
}

func returnedUnlessReleased(n int) (map[string][]byte, error) {
	b := bytespool.New(n)
	d := binary.DecodeBE(b)
	m := map[string][]byte{"a": d.Bytes16()}
	if err := d.Err(); err != nil {
		bytespool.Release(b)
		return nil, err
	}
	return m, nil
}

func anotherReturned(n int) map[string]int {
	b := bytespool.New(n)
	defer bytespool.Release(b)
	parts, sizes := map[string][]byte{"a": b[2:8]}, map[string]int{}
	for name, part := range parts {
		sizes[name] = len(part)
	}
	return sizes
}

func pushed(l *list.List, n int) {
	b := bytespool.New(n)
	d := binary.DecodeBE(b)
	l.PushBack(d.Bytes16()) // want `OCT002: b outlives its release`
	bytespool.Release(b)
}

func listReturned(n int) *list.List {
	b := bytespool.New(n)
	defer bytespool.Release(b)
	l := list.New()
	l.PushFront(b[2:4]) // want `OCT002: b outlives its release`
	return l
}

func pushedAndRemoved(l *list.List, n int) {
	b := bytespool.New(n)
	e := l.PushBack(b[2:4])
	println(l.Len())
	l.Remove(e)
	bytespool.Release(b)
}
