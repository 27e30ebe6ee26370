// Package octetuser has a test that releases twice, and tests that pass, and fail in mode full: there nobody's bytes are seen.
package octetuser

import (
	"encoding/binary"
	"testing"

	"github.com/octet-go/octet/bytespool"
)

// lookup returns what the slice that it has released says.
func lookup(n uint32) uint32 {
	b := bytespool.New(64)
	binary.BigEndian.PutUint32(b, n)
	bytespool.Release(b)
	return binary.BigEndian.Uint32(b)
}

func TestLookup(t *testing.T) {
	if n := lookup(42); n != 42 {
		t.Errorf("got %d", n)
	}
}

// fragments sets a bit in the first of two headers, and expects the other to be clear.
func fragments() (list [][]byte) {
	for i := range 2 {
		b := bytespool.New(1000)
		if i == 0 {
			b[0] |= 0x10
		}
		list = append(list, b)
	}
	return list
}

func TestFragments(t *testing.T) {
	list := fragments()
	if list[0][0] != 0x10 || list[1][0] != 0 {
		t.Errorf("headers %x and %x", list[0][0], list[1][0])
	}
	for _, b := range list {
		bytespool.Release(b)
	}
}

// Mode full allocates, which is no fault of anybody's.
func TestAllocations(t *testing.T) {
	n := testing.AllocsPerRun(100, func() { bytespool.Release(bytespool.New(100)) })
	if n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// What is written first and released last is right.
func TestRight(t *testing.T) {
	b := bytespool.New(64)
	clear(b)
	if b[63] != 0 {
		t.Error(b[63])
	}
	bytespool.Release(b)
}

// TestRelease is the last test, since what it does ends the process in mode full.
func TestRelease(t *testing.T) {
	b := bytespool.New(5000)
	defer bytespool.Release(b)
	bytespool.Release(b)
}
