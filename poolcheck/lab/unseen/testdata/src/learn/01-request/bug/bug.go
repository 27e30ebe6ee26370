// Package bug frames requests for a broker in pooled buffers.
package bug

import (
	"encoding/binary"
	"io"
	"sync"
	"time"
)

// A scratch pool holds the buffers that requests are framed in.
type scratchPool struct{ p *sync.Pool }

func newScratchPool() scratchPool {
	return scratchPool{p: &sync.Pool{New: func() any { b := make([]byte, 1<<10); return &b }}}
}

func (s scratchPool) get() []byte  { return (*s.p.Get().(*[]byte))[:0] }
func (s scratchPool) put(b []byte) { s.p.Put(&b) }

type request interface {
	Key() int16
	AppendTo(dst []byte) []byte
}

type framer struct{ clientID string }

// append appends the header of a request and the request itself.
func (f *framer) append(dst []byte, req request, id int32) []byte {
	start := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.BigEndian.AppendUint16(dst, uint16(req.Key()))
	dst = binary.BigEndian.AppendUint32(dst, uint32(id))
	dst = append(dst, f.clientID...)
	dst = req.AppendTo(dst)
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

type client struct {
	scratch scratchPool
	framer  *framer
	onWrite []func(key int16, written int, took time.Duration, err error)
}

type brokerConn struct {
	client *client
	w      io.Writer
	nextID int32
}

func (c *brokerConn) writeRequest(req request) (id int32, written int, err error) {
	buf := c.client.scratch.get()
	defer c.client.scratch.put(buf)
	buf = c.client.framer.append(
		buf[:0],
		req,
		c.nextID,
	)

	start := time.Now()
	written, err = c.w.Write(buf)
	took := time.Since(start)

	for _, hook := range c.client.onWrite {
		hook(req.Key(), written, took, err)
	}
	if err != nil {
		return
	}
	id = c.nextID
	c.nextID++
	return
}

func newClient(id string) *client {
	return &client{scratch: newScratchPool(), framer: &framer{clientID: id}}
}
