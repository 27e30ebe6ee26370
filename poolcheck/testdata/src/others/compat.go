package others

import (
	"io"

	"github.com/octet-go/octet/compat/bytespool"
	"github.com/octet-go/octet/compat/bytespool/buffer"
)

// bad: used after the release by its earlier name.
func earlier(w io.Writer) {
	b := bytespool.Get(16)
	bytespool.Put(b)
	w.Write(b) // want "OCT001: b is used.*"
}

// bad: the same with pools of one's own, one of whose methods is promoted.
func earlierPool(w io.Writer, p *bytespool.CapacityPools) {
	b := p.Get(16)
	p.Release(b)
	w.Write(b) // want "OCT001: b is used.*"
	c := p.New(16)
	p.Put(c)
	w.Write(c) // want "OCT001: c is used.*"
}

// bad: put twice, by the earlier function and by the method.
func earlierBuffer() {
	b := buffer.Get(16)
	buffer.Put(b)
	b.Put() // want "OCT003: b is released twice.*"
}
