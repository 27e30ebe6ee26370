// Package bug is the event loop of a server whose connections keep what could
// not be written yet in a pooled ring buffer and a list.
package bug

import (
	"errors"
	"log"
	"os"
	"sync"
	"syscall"
)

type ring struct {
	buf  []byte
	r, w int
}

func (r *ring) empty() bool   { return r.r == r.w }
func (r *ring) peek() []byte  { return r.buf[r.r:r.w] }
func (r *ring) discard(n int) { r.r += min(n, r.w-r.r) }
func (r *ring) write(p []byte) int {
	n := copy(r.buf[r.w:], p)
	r.w += n
	return n
}

var rings sync.Pool

func getRing(size int) *ring {
	if v := rings.Get(); v != nil {
		return v.(*ring)
	}
	return &ring{buf: make([]byte, size)}
}

func putRing(r *ring) {
	r.r, r.w = 0, 0
	rings.Put(r)
}

var emptyRing = &ring{}

// A mixed buffer goes on with a list when its ring is full.
type mixed struct {
	ring *ring
	list [][]byte
}

func newMixed(size int) *mixed { return &mixed{ring: getRing(size)} }

func (m *mixed) empty() bool {
	return m.ring.empty() && len(m.list) == 0
}

func (m *mixed) peek() []byte {
	if !m.ring.empty() {
		return m.ring.peek()
	}
	return m.list[0]
}

func (m *mixed) discard(n int) {
	if !m.ring.empty() {
		m.ring.discard(n)
		return
	}
	if m.list[0] = m.list[0][n:]; len(m.list[0]) == 0 {
		m.list = m.list[1:]
	}
}

func (m *mixed) release() {
	putRing(m.ring)
	m.list = nil
}

type conn struct {
	file     *os.File
	opened   bool
	inbound  *ring
	outbound *mixed
}

func newConn(f *os.File) *conn {
	return &conn{file: f, opened: true, inbound: getRing(4096), outbound: newMixed(4096)}
}

func (c *conn) releaseTCP() {
	c.opened = false
	putRing(c.inbound)
	c.inbound = emptyRing
	c.outbound.release()
}

type loop struct {
	conns  map[*os.File]*conn
	closed func(*conn, error)
}

func (l *loop) closeConn(c *conn, cause error) error {
	if !c.opened {
		return nil
	}
	// The peer gets what is left.
	if !c.outbound.empty() {
		for !c.outbound.empty() {
			n, err := c.file.Write(c.outbound.peek())
			if err != nil && !errors.Is(err, syscall.EAGAIN) {
				log.Println("flushing at close:", err)
				break
			}
			c.outbound.discard(n)
		}
		c.outbound.release()
	}

	err := c.file.Close()
	if err == nil {
		delete(l.conns, c.file)
		l.closed(c, cause)
		c.releaseTCP()
	}
	return err
}
