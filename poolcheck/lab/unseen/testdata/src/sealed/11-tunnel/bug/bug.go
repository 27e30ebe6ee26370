// Package bug connects to hosts through a proxy. The proxy learns the host from
// the first bytes that are sent to it.
package bug

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"
)

// What addresses are encoded as.
const (
	kindIPv4   = 1
	kindDomain = 3
	kindIPv6   = 4

	maxAddress = 1 + 1 + 255 + 2
)

var sizes = [...]int{512, 4 << 10, 32 << 10}

var buffers [len(sizes)]sync.Pool

// getBuffer returns a slice of the given length.
func getBuffer(n int) []byte {
	for i, size := range sizes {
		if n <= size {
			if b, ok := buffers[i].Get().(*[]byte); ok {
				return (*b)[:n]
			}
			return make([]byte, n, size)
		}
	}
	return make([]byte, n)
}

func putBuffer(b []byte) {
	for i, size := range sizes {
		if cap(b) == size {
			buffers[i].Put(&b)
			return
		}
	}
}

type address struct {
	kind byte
	host string
	ip   net.IP
	port uint16
}

func (a *address) parse(text string) error {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return err
	}
	a.host, a.port = host, uint16(n)
	a.ip = net.ParseIP(host)
	switch {
	case a.ip == nil:
		a.kind = kindDomain
	case a.ip.To4() != nil:
		a.kind, a.ip = kindIPv4, a.ip.To4()
	default:
		a.kind = kindIPv6
	}
	return nil
}

// encode writes the address to the beginning of b and returns its length.
func (a *address) encode(b []byte) (int, error) {
	if len(a.host) > 255 || len(b) < maxAddress {
		return 0, errors.New("host name is too long")
	}
	b[0] = a.kind
	n := 1
	if a.kind == kindDomain {
		b[n] = byte(len(a.host))
		n += 1 + copy(b[n+1:], a.host)
	} else {
		n += copy(b[n:], a.ip)
	}
	binary.BigEndian.PutUint16(b[n:], a.port)
	return n + 2, nil
}

// A tunnel is a connection to the proxy that goes on to a host.
type tunnel struct {
	net.Conn
	mu     sync.Mutex
	target []byte
	opened bool
}

func (t *tunnel) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.opened {
		return t.Conn.Write(p)
	}
	first := make([]byte, 0, len(t.target)+len(p))
	first = append(first, t.target...)
	first = append(first, p...)
	n, err := t.Conn.Write(first)
	if err != nil {
		return max(0, n-len(t.target)), err
	}
	t.opened = true
	return len(p), nil
}

type client struct{ key string }

// wrap makes a tunnel of a connection.
func (c *client) wrap(conn net.Conn, target []byte) (net.Conn, error) {
	if c.key == "" {
		return nil, errors.New("no key")
	}
	return &tunnel{Conn: conn, target: target}, nil
}

type connector struct {
	client  *client
	timeout time.Duration
}

func (c *connector) connect(ctx context.Context, conn net.Conn, network, host string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if network != "tcp" {
		return nil, fmt.Errorf("network %s is not supported", network)
	}
	var addr address
	if err := addr.parse(host); err != nil {
		return nil, err
	}
	raw := getBuffer(512)
	defer putBuffer(raw)

	n, err := addr.encode(raw)
	if err != nil {
		return nil, err
	}
	if c.timeout > 0 {
		conn.SetDeadline(time.Now().Add(c.timeout))
		defer conn.SetDeadline(time.Time{})
	}
	target := raw[:n]
	wrapped, err := c.client.wrap(conn, target)
	if err != nil {
		return nil, err
	}
	return wrapped, nil
}

// relay copies one direction of a connection to the other one.
func relay(dst io.Writer, src io.Reader) error {
	buf := getBuffer(32 << 10)
	defer putBuffer(buf)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if _, err := dst.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
