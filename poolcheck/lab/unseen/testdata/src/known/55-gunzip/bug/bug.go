// Package bug sends and receives compressed messages.
package bug

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A compression is one of the encodings that a message may have.
type compression interface {
	Name() string
	Compress(w io.Writer) (io.WriteCloser, error)
	Decompress(r io.Reader) (io.ReadCloser, error)
	DecompressedSize(p []byte) int
}

type gzipCompression struct {
	level     int
	packers   sync.Pool
	unpackers sync.Pool
}

var _ compression = (*gzipCompression)(nil)

func newGzip(level int) *gzipCompression { return &gzipCompression{level: level} }

func (*gzipCompression) Name() string { return "gzip" }

func (c *gzipCompression) Compress(w io.Writer) (io.WriteCloser, error) {
	if p, ok := c.packers.Get().(*packer); ok {
		p.zw.Reset(w)
		return p, nil
	}
	zw, err := gzip.NewWriterLevel(w, c.level)
	if err != nil {
		return nil, err
	}
	return &packer{zw: zw, pool: &c.packers}, nil
}

type packer struct {
	zw   *gzip.Writer
	pool *sync.Pool
}

func (p *packer) Write(data []byte) (int, error) { return p.zw.Write(data) }

func (p *packer) Close() error {
	defer p.pool.Put(p)
	return p.zw.Close()
}

func (c *gzipCompression) Decompress(r io.Reader) (io.ReadCloser, error) {
	if u, ok := c.unpackers.Get().(*unpacker); ok {
		if err := u.zr.Reset(r); err != nil {
			c.unpackers.Put(r)
			return nil, err
		}
		return u, nil
	}
	zr, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	return &unpacker{zr: zr, pool: &c.unpackers}, nil
}

type unpacker struct {
	zr   *gzip.Reader
	pool *sync.Pool
}

func (u *unpacker) Read(p []byte) (int, error) { return u.zr.Read(p) }

func (u *unpacker) Close() error {
	u.pool.Put(u)
	return nil
}

// DecompressedSize returns the size that stands at the end of what is compressed,
// or -1.
func (*gzipCompression) DecompressedSize(p []byte) int {
	if len(p) < 4 {
		return -1
	}
	return int(binary.LittleEndian.Uint32(p[len(p)-4:]))
}

var errTooLarge = errors.New("message too large")

type channel struct {
	compression compression
	max         int
}

func (c *channel) pack(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := c.compression.Compress(&out)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", c.compression.Name(), err)
	}
	return out.Bytes(), nil
}

func (c *channel) unpack(packed []byte) ([]byte, error) {
	if n := c.compression.DecompressedSize(packed); n > c.max {
		return nil, errTooLarge
	}
	r, err := c.compression.Decompress(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.compression.Name(), err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(c.max)+1))
	if err != nil {
		return nil, err
	}
	if len(data) > c.max {
		return nil, errTooLarge
	}
	return data, nil
}
