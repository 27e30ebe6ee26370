// Package paths shows the fix that moves a program from the seeds' import
// paths to ours.
package paths

import (
	"io"

	"github.com/fufuok/bytespool"        // want "github.com/octet-go/octet/bytespool"
	"github.com/fufuok/bytespool/buffer" // want "github.com/octet-go/octet/bytespool/buffer"
)

func pump(dst io.Writer, src io.Reader) error {
	chunk := bytespool.Get(4096)
	defer bytespool.Release(chunk)
	_, err := io.CopyBuffer(dst, src, chunk)
	return err
}

func render(name string) string {
	page := buffer.Get()
	defer page.Put()
	page.WriteString(name)
	return page.String()
}
