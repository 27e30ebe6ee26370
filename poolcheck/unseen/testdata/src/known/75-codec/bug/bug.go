// Package bug compresses the messages of calls.
package bug

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

type lzwCompressor struct {
	writers sync.Pool
	readers sync.Pool
}

func newLZW() *lzwCompressor {
	c := &lzwCompressor{}
	c.writers.New = func() any {
		w := lzw.NewWriter(io.Discard, lzw.LSB, 8).(*lzw.Writer)
		return &writer{Writer: w, pool: &c.writers}
	}
	return c
}

func (*lzwCompressor) Name() string { return "lzw" }

func (c *lzwCompressor) Compress(w io.Writer) (io.WriteCloser, error) {
	z := c.writers.Get().(*writer)
	z.once = sync.Once{}
	z.Reset(w, lzw.LSB, 8)
	return z, nil
}

func (c *lzwCompressor) Decompress(r io.Reader) (io.Reader, error) {
	z, ok := c.readers.Get().(*reader)
	if !ok {
		zr := lzw.NewReader(r, lzw.LSB, 8).(*lzw.Reader)
		return &reader{Reader: zr, pool: &c.readers}, nil
	}
	z.once = sync.Once{}
	z.Reset(r, lzw.LSB, 8)
	return z, nil
}

// A writer goes back when it is closed.
type writer struct {
	*lzw.Writer
	pool *sync.Pool
	once sync.Once
}

func (z *writer) Close() error {
	err := z.Writer.Close()
	z.once.Do(func() {
		z.pool.Put(z)
	})
	return err
}

// A reader goes back at the end of what it reads.
type reader struct {
	*lzw.Reader
	pool *sync.Pool
	once sync.Once
}

func (z *reader) Read(p []byte) (int, error) {
	n, err := z.Reader.Read(p)
	if err != nil {
		z.once.Do(func() {
			z.pool.Put(z)
		})
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
