package defaults

import (
	"bytes"
	"testing"

	"github.com/octet-go/octet/bytespool"
)

// ok: the test asks what a release leaves behind.
func TestClean(t *testing.T) {
	b := pool.Get().(*bytes.Buffer)
	b.WriteString("x")
	pool.Put(b)
	if b.Len() != 0 && len(b.Bytes()) > 3 {
		t.Errorf("%d bytes: %q", b.Len(), b.Bytes())
	}
	s := bytespool.New(8)
	bytespool.Release(s)
	if s[0] != 0 {
		t.Error(s)
	}
}

// bad: what is written is somebody else's.
func TestWrites(t *testing.T) {
	s := bytespool.New(8)
	bytespool.Release(s)
	s[0] = 1 // want "OCT001: s is used after its release"
	b := pool.Get().(*bytes.Buffer)
	pool.Put(b)
	b.WriteString("x") // want "OCT001: b is used after its release"
}
