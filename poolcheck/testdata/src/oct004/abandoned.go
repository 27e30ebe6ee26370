package oct004

import (
	"io"

	"github.com/octet-go/octet/bytespool"
)

type pageCache struct {
	pools *bytespool.Pool
	pages map[int][]byte
}

// ok: what stays in the cache goes to the collector, and the rest is released.
func (c *pageCache) load(r io.Reader, id int) error {
	b := c.pools.New(4096)
	if _, err := io.ReadFull(r, b); err != nil {
		c.pools.Release(b)
		return err
	}
	c.pools.Abandon(b)
	c.pages[id] = b
	return nil
}

// ok: nobody else needs to release it.
func printed(w io.Writer, text string) {
	b := append(bytespool.Make(len(text)), text...)
	bytespool.Abandon(b)
	w.Write(b)
}

// bad: a page that cannot be read is lost.
func (c *pageCache) loadBadly(r io.Reader, id int) error {
	b := c.pools.New(4096) // want "OCT004: b is not released on every path"
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	c.pools.Abandon(b)
	c.pages[id] = b
	return nil
}
