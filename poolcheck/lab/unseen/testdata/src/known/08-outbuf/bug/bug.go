// Package bug is an event loop that writes what connections have buffered.
package bug

import (
	"errors"
	"os"
	"syscall"

	"github.com/gobwas/pool/pbytes"
)

type ring struct {
	buf   []byte
	r, w  int
	empty bool
}

func (r *ring) length() int {
	switch {
	case r.empty:
		return 0
	case r.w > r.r:
		return r.w - r.r
	}
	return len(r.buf) - r.r + r.w
}

// bytes returns a copy, for recycle.
func (r *ring) bytes() []byte {
	if r.empty {
		return nil
	}
	if r.w > r.r {
		buf := pbytes.GetLen(r.w - r.r)
		copy(buf, r.buf[r.r:r.w])
		return buf
	}
	buf := pbytes.GetLen(r.length())
	n := copy(buf, r.buf[r.r:])
	copy(buf[n:], r.buf[:r.w])
	return buf
}

func recycle(p []byte) { pbytes.Put(p) }

func (r *ring) advance(n int) {
	if n < r.length() {
		r.r = (r.r + n) % len(r.buf)
		return
	}
	r.r, r.w, r.empty = 0, 0, true
}

type conn struct {
	file *os.File
	out  *ring
}

type poller interface{ modRead(f *os.File) }

type loop struct {
	poller poller
	conns  map[*os.File]*conn
}

func (l *loop) closeConn(c *conn, cause error) error {
	delete(l.conns, c.file)
	if err := c.file.Close(); err != nil {
		return err
	}
	return cause
}

func (l *loop) write(c *conn) error {
	out := c.out.bytes()
	n, err := c.file.Write(out)
	if err != nil {
		if errors.Is(err, syscall.EAGAIN) {
			return nil
		}
		return l.closeConn(c, err)
	}
	c.out.advance(n)
	recycle(out)

	if c.out.length() == 0 {
		l.poller.modRead(c.file)
	}
	return nil
}
