// Package octetuser releases a slice of octet's pools twice.
package octetuser

import (
	"testing"

	"github.com/octet-go/octet/bytespool"
)

func TestRelease(t *testing.T) {
	b := bytespool.New(1000)
	defer bytespool.Release(b)
	bytespool.Release(b)
}

func TestCorrect(t *testing.T) {
	for range 100 {
		b := bytespool.New(1000)
		b[0] = 1
		bytespool.Release(b)
	}
}
