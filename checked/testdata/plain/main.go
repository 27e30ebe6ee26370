// Command plain imports bytespool and not checked, and releases a slice twice.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/octet-go/octet/bytespool"
)

func main() {
	b := bytespool.New(4096)
	bytespool.Release(b)
	bytespool.Release(b)
	fmt.Fprintf(os.Stdout, "%v\n", io.EOF)
}
