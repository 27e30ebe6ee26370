package readerpool_test

import (
	"fmt"
	"io"
	"os"

	"github.com/octet-go/octet/compat/bytespool/readerpool"
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
