// Package fixed compresses the messages of calls.
package fixed

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A compressor is one that calls may name.
type compressor interface {
	Name() string
	Compress(w io.Writer) (io.WriteCloser, error)
	Decompress(r io.Reader) (io.Reader, error)
}

var (
	registering sync.RWMutex
	registered  = make(map[string]compressor)
)

func register(c compressor) bool {
	registering.Lock()
	defer registering.Unlock()
	if _, ok := registered[c.Name()]; ok {
		return false
	}
	registered[c.Name()] = c
	return true
}

func lookup(name string) compressor {
	registering.RLock()
	defer registering.RUnlock()
	return registered[name]
}

func init() { register(newLZW()) }

var freeWriters = sync.Pool{
	New: func() any { return lzw.NewWriter(io.Discard, lzw.LSB, 8).(*lzw.Writer) },
}

var freeReaders = sync.Pool{
	New: func() any { return lzw.NewReader(bytes.NewReader(nil), lzw.LSB, 8).(*lzw.Reader) },
}

type lzwCompressor struct{}

func newLZW() *lzwCompressor {
	return &lzwCompressor{}
}

func (*lzwCompressor) Name() string { return "lzw" }

func (c *lzwCompressor) Compress(w io.Writer) (io.WriteCloser, error) {
	z := freeWriters.Get().(*lzw.Writer)
	z.Reset(w, lzw.LSB, 8)
	return &writer{Writer: z}, nil
}

func (c *lzwCompressor) Decompress(r io.Reader) (io.Reader, error) {
	z := freeReaders.Get().(*lzw.Reader)
	z.Reset(r, lzw.LSB, 8)
	return &reader{Reader: z}, nil
}

// A writer goes back when it is closed.
type writer struct {
	*lzw.Writer
}

func (z *writer) Close() error {
	if z.Writer == nil {
		return nil
	}
	err := z.Writer.Close()
	freeWriters.Put(z.Writer)
	z.Writer = nil
	return err
}

// A reader goes back at the end of what it reads.
type reader struct {
	*lzw.Reader
	err error
}

func (z *reader) Read(p []byte) (int, error) {
	if z.Reader == nil {
		return 0, z.err
	}
	n, err := z.Reader.Read(p)
	if err != nil {
		freeReaders.Put(z.Reader)
		z.Reader, z.err = nil, err
	}
	return n, err
}

var (
	errCompressor = errors.New("no such compressor")
	errSize       = errors.New("message of a wrong size")
)

// pack puts the size before a message, and compresses both.
func pack(name string, data []byte) ([]byte, error) {
	c := lookup(name)
	if c == nil {
		return nil, errCompressor
	}
	var out bytes.Buffer
	z, err := c.Compress(&out)
	if err != nil {
		return nil, err
	}
	var size [4]byte
	binary.BigEndian.PutUint32(size[:], uint32(len(data)))
	_, err = z.Write(size[:])
	if err == nil {
		_, err = z.Write(data)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return out.Bytes(), nil
}

func unpack(name string, packed []byte) ([]byte, error) {
	c := lookup(name)
	if c == nil {
		return nil, errCompressor
	}
	z, err := c.Decompress(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) < 4 || len(data)-4 != int(binary.BigEndian.Uint32(data)) {
		return nil, errSize
	}
	return data[4:], nil
}
