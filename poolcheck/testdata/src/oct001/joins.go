package oct001

import (
	"errors"

	"github.com/octet-go/octet/bytespool"
)

// bad: which call has failed does not matter where the paths meet, so that there are
// not too many of them.
func manyErrors(one func() bool, a, b func() error) (byte, error) {
	p := bytespool.New(64)
	var e0, e1, e2, e3, e4, e5, e6 error
	if e0 = a(); one() {
		e0 = b()
	}
	if e1 = a(); one() {
		e1 = b()
	}
	if e2 = a(); one() {
		e2 = b()
	}
	if e3 = a(); one() {
		e3 = b()
	}
	if e4 = a(); one() {
		e4 = b()
	}
	if e5 = a(); one() {
		e5 = b()
	}
	if e6 = a(); one() {
		e6 = b()
	}
	bytespool.Release(p)
	return p[0], errors.Join(e0, e1, e2, e3, e4, e5, e6) // want "OCT001: .*p.*"
}

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
