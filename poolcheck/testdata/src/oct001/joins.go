package oct001

import (
	"github.com/octet-go/octet/bytespool"
)

type slot struct{ b []byte }

// bad: what was released, and shows nowhere any more, does not keep paths apart.
func manyReleases(one func() bool, s *slot) byte {
	if one() {
		s.b = bytespool.New(1)
		bytespool.Release(s.b)
		s.b = nil
	}
	if one() {
		s.b = bytespool.New(2)
		bytespool.Release(s.b)
		s.b = nil
	}
	if one() {
		s.b = bytespool.New(3)
		bytespool.Release(s.b)
		s.b = nil
	}
	if one() {
		s.b = bytespool.New(4)
		bytespool.Release(s.b)
		s.b = nil
	}
	if one() {
		s.b = bytespool.New(5)
		bytespool.Release(s.b)
		s.b = nil
	}
	p := bytespool.New(64)
	bytespool.Release(p)
	return p[0] // want "OCT001: .*p.*"
}
