package oct004

import (
	"bytes"
	"io"
	"sync"
)

var swapPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// swapGrown returns old with data, which was appended to its bytes, or a buffer of data
// if that has outgrown it.
func swapGrown(data []byte, old *bytes.Buffer) *bytes.Buffer {
	if cap(data) > old.Cap() {
		return bytes.NewBuffer(data)
	}
	old.Reset()
	old.Write(data)
	return old
}

// ok: only a buffer that is too small gives way to another.
func writeGrown(w io.Writer, encode func([]byte) ([]byte, error)) error {
	buf := swapPool.Get().(*bytes.Buffer)
	data, err := encode(buf.Bytes())
	if err != nil {
		swapPool.Put(buf)
		return err
	}
	buf = swapGrown(data, buf)
	defer swapPool.Put(buf)
	_, err = buf.WriteTo(w)
	return err
}

// swapNamed returns old with data, or a buffer of data if that is to be kept.
func swapNamed(data []byte, keep string, old *bytes.Buffer) *bytes.Buffer {
	if keep != "" {
		return bytes.NewBuffer(data)
	}
	old.Reset()
	old.Write(data)
	return old
}

// bad: a buffer that gives way to another is lost, whatever its size.
func writeNamed(w io.Writer, keep string, encode func([]byte) ([]byte, error)) error {
	buf := swapPool.Get().(*bytes.Buffer) // want "OCT004: buf is not released on every path"
	data, err := encode(buf.Bytes())
	if err != nil {
		swapPool.Put(buf)
		return err
	}
	buf = swapNamed(data, keep, buf)
	defer swapPool.Put(buf)
	_, err = buf.WriteTo(w)
	return err
}
