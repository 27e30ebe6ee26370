package idioms

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// An indexed pool has a pool for each size; index 0 is none of them.
type indexed struct {
	pools  []*sync.Pool
	limits []int
}

func (p *indexed) Get(n int) (*bytes.Buffer, int) {
	for i := 1; i < len(p.limits); i++ {
		if n <= p.limits[i] {
			return p.pools[i].Get().(*bytes.Buffer), i
		}
	}
	return bytes.NewBuffer(make([]byte, 0, n)), 0
}

func (p *indexed) Put(b *bytes.Buffer, index int) {
	if index == 0 || b == nil {
		return
	}
	p.pools[index].Put(b)
}

var errShortRead = errors.New("short")

var indexedBufs = &indexed{}

// ok: Put knows by the index whether it is the pool's.
func readIndexed(r io.Reader, n int, begun bool, use func(*bytes.Buffer, int) error) error {
	buf, index := indexedBufs.Get(n)
	given := false
	defer func() {
		if !given {
			indexedBufs.Put(buf, index)
		}
	}()
	if _, err := io.CopyN(buf, r, int64(n)); err != nil {
		return err
	}
	if begun {
		return errShortRead
	}
	given = true
	return use(buf, index)
}

// A closer once gives its buffer back once.
type closerOnce struct {
	once sync.Once
	buf  *bytes.Buffer
	out  io.WriteCloser
	log  func(*closerOnce)
}

var closerBufs = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func (c *closerOnce) give() { c.once.Do(func() { closerBufs.Put(c.buf) }) }

// ok: the second time nothing happens, whatever was called in between.
func (c *closerOnce) Close() error {
	c.give()
	c.log(c)
	err := c.out.Close()
	c.give()
	return err
}
