// Package octetuser releases a slice of octet's pools twice.
package octetuser

import (
	"os"
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

// TestCounted adds a byte to a file in each run.
func TestCounted(t *testing.T) {
	f, err := os.OpenFile(os.Getenv("RUNS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	f.WriteString(".")
	bytespool.Release(bytespool.New(1000))
}
