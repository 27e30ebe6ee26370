// Package bug compresses the bodies of responses.
package bug

import (
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
	"log"
	"sync"
)

const blockSize = 8 << 10

// A packer writes one of the encodings.
type packer interface {
	io.WriteCloser
	Flush() error
	Reset(io.Writer)
}

var errEncoding = errors.New("no such encoding")

func newPacker(name string, level int) (packer, error) {
	var (
		p   packer
		err error
	)
	switch name {
	case "gzip":
		p, err = gzip.NewWriterLevel(nil, level)
	case "deflate":
		p, err = flate.NewWriter(nil, level)
	default:
		panic(errEncoding)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func newPool(name string) *sync.Pool {
	return &sync.Pool{New: func() any {
		p, err := newPacker(name, flate.BestSpeed)
		if err != nil {
			log.Print(err)
			return nil
		}
		return p
	}}
}

var (
	gzipPackers  = newPool("gzip")
	flatePackers = newPool("deflate")
)

func packers(name string) *sync.Pool {
	switch name {
	case "gzip":
		return gzipPackers
	case "deflate":
		return flatePackers
	}
	panic(errEncoding)
}

func pack(dst *io.PipeWriter, src io.ReadCloser, name string, level int) {
	var (
		p   packer
		err error
	)
	defer func() {
		if p != nil {
			p.Close()
		}
		if err == nil {
			err = io.EOF
		}
		dst.CloseWithError(err)
		src.Close()
	}()

	if level == flate.BestSpeed {
		pool := packers(name)
		if pooled := pool.Get(); pooled != nil {
			p = pooled.(packer)
			defer pool.Put(pooled)
		}
	}
	if p == nil {
		if p, err = newPacker(name, level); err != nil {
			return
		}
	}
	p.Reset(dst)

	b := make([]byte, blockSize)
	for {
		n, rerr := src.Read(b)
		if n > 0 {
			if _, err = p.Write(b[:n]); err != nil {
				return
			}
			if err = p.Flush(); err != nil {
				return
			}
		}
		if rerr != nil {
			err = rerr
			return
		}
	}
}
