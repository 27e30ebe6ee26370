package oct004

import (
	"compress/gzip"
	"io"
	"sync"
)

// An unpacking is a reader from a pool.
type unpacking struct {
	*gzip.Reader
	pool *sync.Pool
}

type unpackings struct{ readers sync.Pool }

// bad: the source goes into the pool, in place of the reader that cannot be reset.
func (u *unpackings) reader(src io.Reader) (io.Reader, error) {
	if r, ok := u.readers.Get().(*unpacking); ok { // want "OCT004: r is not released on every path"
		if err := r.Reset(src); err != nil {
			u.readers.Put(src)
			return nil, err
		}
		return r, nil
	}
	zr, err := gzip.NewReader(src)
	if err != nil {
		return nil, err
	}
	return &unpacking{zr, &u.readers}, nil
}

// ok: a reader that cannot be reset is left to the collector.
func (u *unpackings) fresh(src io.Reader) (io.Reader, error) {
	if r, ok := u.readers.Get().(*unpacking); ok {
		if err := r.Reset(src); err != nil {
			return nil, err
		}
		return r, nil
	}
	zr, err := gzip.NewReader(src)
	if err != nil {
		return nil, err
	}
	return &unpacking{zr, &u.readers}, nil
}

// ok: what was handed in goes back, beside a reader that cannot be reset.
func (u *unpackings) exchange(old, src io.Reader) (io.Reader, error) {
	u.readers.Put(old)
	r := u.readers.Get().(*unpacking)
	if err := r.Reset(src); err != nil {
		return nil, err
	}
	return r, nil
}

func (u *unpacking) Close() error {
	err := u.Reader.Close()
	u.pool.Put(u)
	return err
}
