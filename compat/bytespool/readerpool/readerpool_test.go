package readerpool_test

import (
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/octet-go/octet/checked"
	"github.com/octet-go/octet/compat/bytespool/readerpool"
	"github.com/octet-go/octet/internal/sanitize"
)

func Example() {
	r := readerpool.New([]byte("hello\n"))
	defer readerpool.Release(r)
	io.Copy(os.Stdout, r)
	fmt.Println(r.Len(), "bytes are left")
	// Output:
	// hello
	// 0 bytes are left
}

// A reader that was released keeps nothing of what it read, and the next one begins
// at the beginning.
func TestReaders(t *testing.T) {
	for range 100 {
		r := readerpool.New([]byte("hello"))
		if b, err := io.ReadAll(r); string(b) != "hello" || err != nil {
			t.Fatalf("read %q, %v", b, err)
		}
		readerpool.Release(r)
		if checked.Current().Mode == checked.Off && (r.Size() != 0 || r.Len() != 0) {
			t.Fatal("a reader in the pool shows what it read")
		}
	}
	readerpool.Release(nil)
	b := []byte("hello")
	if n := testing.AllocsPerRun(100, func() { readerpool.Release(readerpool.New(b)) }); n > 0 && !sanitize.Enabled {
		t.Errorf("%v allocations", n)
	}
}
