// Package bug sends and receives compressed messages.
package bug

import (
	"compress/gzip"
	"io"
	"sync"
)

// A compression is one of the encodings that a message may have.
type compression interface {
	Compress(w io.Writer) (io.WriteCloser, error)
	Decompress(r io.Reader) (io.ReadCloser, error)
}

type gzipCompression struct {
	level     int
	packers   sync.Pool
	unpackers sync.Pool
}

var _ compression = (*gzipCompression)(nil)

func newGzip(level int) *gzipCompression { return &gzipCompression{level: level} }

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
