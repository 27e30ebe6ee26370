// Package bug carries messages, each with its length in front, through a
// tunnel whose two ends may also agree to compress.
package bug

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	bufSize   = 64 << 10
	smallSize = 10
	copySize  = 32 << 10

	testFlag = "tst"
	tcpFlag  = "tcp"
	udpFlag  = "udp"
	endMark  = "\x00EOF"
)

var (
	bufPool   = sync.Pool{New: func() any { return make([]byte, bufSize) }}
	smallPool = sync.Pool{New: func() any { return make([]byte, smallSize) }}
)

// A conn reads and writes the pieces of which the protocol is made.
type conn struct {
	net.Conn
}

// readLen reads exactly n bytes.
func (c *conn) readLen(n int) ([]byte, error) {
	if n > bufSize {
		return nil, fmt.Errorf("%d bytes are too many", n)
	}
	var buf []byte
	if n <= smallSize {
		buf = smallPool.Get().([]byte)[:n]
	} else {
		buf = bufPool.Get().([]byte)[:n]
	}
	if _, err := io.ReadFull(c, buf); err != nil {
		return buf, fmt.Errorf("reading %d bytes: %w", n, err)
	}
	return buf, nil
}

func (c *conn) getLen() (int, error) {
	val, err := c.readLen(4)
	if err != nil {
		return 0, err
	}
	n := binary.LittleEndian.Uint32(val)
	if n == 0 {
		return 0, errors.New("empty message")
	}
	return int(n), nil
}

func (c *conn) writeLen(p []byte) (int, error) {
	out := make([]byte, 4, 4+len(p))
	binary.LittleEndian.PutUint32(out, uint32(len(p)))
	return c.Write(append(out, p...))
}

// readFlag reads what the other end wants of this connection.
func (c *conn) readFlag() (string, error) {
	val, err := c.readLen(4)
	if err != nil {
		return "", err
	}
	return string(val), nil
}

func (c *conn) connInfo() (compress, crypt bool) {
	buf, err := c.readLen(2)
	if err != nil {
		return false, false
	}
	return buf[0] == '1', buf[1] == '1'
}

// host reads the kind of the connection and the address that it goes to.
func (c *conn) host() (kind, addr string, compress, crypt bool, err error) {
	for {
		typ, err := c.readLen(3)
		if err != nil {
			return "", "", false, false, err
		}
		if kind = string(typ); kind != testFlag {
			break
		}
		compress, crypt = c.connInfo()
	}
	if kind != tcpFlag && kind != udpFlag {
		return "", "", false, false, fmt.Errorf("unknown connection %q", kind)
	}
	n, err := c.getLen()
	if err != nil {
		return
	}
	name, err := c.readLen(n)
	if err != nil {
		return
	}
	return kind, string(name), compress, crypt, nil
}

// A cipherConn has encrypted messages.
type cipherConn struct {
	conn    net.Conn
	decrypt func([]byte) ([]byte, error)
}

func (s *cipherConn) Read(p []byte) (n int, err error) {
	c := &conn{s.conn}
	size, err := c.getLen()
	if err != nil {
		return 0, err
	}
	buf, err := c.readLen(size)
	if err != nil {
		return 0, err
	}
	plain := buf
	if s.decrypt != nil {
		if plain, err = s.decrypt(buf); err != nil {
			return 0, err
		}
	}
	if string(plain) == endMark {
		return 0, io.EOF
	}
	return copy(p, plain), nil
}

// A deflateConn has compressed messages, which may be encrypted, too.
type deflateConn struct {
	r       io.Reader
	decrypt func([]byte) ([]byte, error)
}

func newDeflateConn(c net.Conn, decrypt func([]byte) ([]byte, error)) *deflateConn {
	return &deflateConn{r: flate.NewReader(bufio.NewReader(c)), decrypt: decrypt}
}

func (s *deflateConn) Read(p []byte) (n int, err error) {
	buf := bufPool.Get().([]byte)
	if n, err = s.r.Read(buf); err != nil {
		return
	}
	plain := buf[:n]
	if s.decrypt != nil {
		if plain, err = s.decrypt(buf[:n]); err != nil {
			return 0, err
		}
	}
	if string(plain) == endMark {
		return 0, io.EOF
	}
	return copy(p, plain), nil
}

// copyBuffer copies in pieces that both ends of the tunnel expect.
func copyBuffer(dst io.Writer, src io.Reader) (written int64, err error) {
	buf := bufPool.Get().([]byte)[:copySize]
	for {
		n, rerr := src.Read(buf)
		if n > 0 {
			m, werr := dst.Write(buf[:n])
			written += int64(m)
			if werr != nil {
				err = werr
				break
			}
			if m != n {
				err = io.ErrShortWrite
				break
			}
		}
		if rerr != nil {
			if rerr != io.EOF {
				err = rerr
			}
			break
		}
	}
	return written, err
}

// flushConn throws away what is still to come.
func flushConn(c net.Conn) {
	c.SetReadDeadline(time.Now().Add(3 * time.Second))
	buf := bufPool.Get().([]byte)
	for {
		if _, err := c.Read(buf); err != nil {
			break
		}
	}
	c.SetReadDeadline(time.Time{})
}
