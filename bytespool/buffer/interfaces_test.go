package buffer_test

import (
	"fmt"
	"io"
	"log/slog"

	"github.com/octet-go/octet/bytespool/buffer"
)

// What a Buffer can stand in for.
var _ interface {
	io.Writer
	io.ByteScanner
	io.ByteWriter
	io.RuneScanner
	io.StringWriter
	io.ReaderFrom
	io.WriterTo
	fmt.Stringer
	slog.LogValuer
} = (*buffer.Buffer)(nil)
