package oct004

import (
	"errors"
	"io"
	"sync"
)

var batchArrays = sync.Pool{New: func() any { return make([]byte, 4096) }}

// A batchBuffer owns an array until Release.
type batchBuffer struct {
	array []byte
	n     int
}

func (b *batchBuffer) Release() {
	if b.array == nil {
		return
	}
	batchArrays.Put(b.array)
	b.array, b.n = nil, 0
}

// A bundle owns its buffers.
type bundle []*batchBuffer

func (bs *bundle) Release() {
	for i, b := range *bs {
		b.Release()
		(*bs)[i] = nil
	}
	*bs = nil
}

// A conduit takes over what is written to it, also when it fails.
type conduit struct {
	data bundle
	shut bool
}

var errConduitShut = errors.New("shut")

func (c *conduit) Write(bs bundle) error {
	if c.shut {
		bs.Release()
		return errConduitShut
	}
	c.data = append(c.data, bs...)
	return nil
}

// ok: the array in the buffer in the bundle is released, or kept.
func (c *conduit) fill(r io.Reader) error {
	b := &batchBuffer{array: batchArrays.Get().([]byte)}
	n, err := r.Read(b.array)
	if b.n = n; err != nil {
		b.Release()
		return err
	}
	return c.Write(bundle{b})
}

// bad: a failed read drops the array.
func (c *conduit) fillOnce(r io.Reader) error {
	b := &batchBuffer{array: batchArrays.Get().([]byte)} // want "OCT004: .*"
	n, err := r.Read(b.array)
	if b.n = n; err != nil {
		return err
	}
	return c.Write(bundle{b})
}
