// Package bug connects to hosts through a proxy. The proxy learns the host from
// the first bytes that are sent to it.
package bug

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

const maxAddress = 1 + 255

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

// encode writes the name of a host to the beginning of b and returns its length.
func encode(b []byte, host string) (int, error) {
	if len(host) > 255 || len(b) < maxAddress {
		return 0, errors.New("host name is too long")
	}
	b[0] = byte(len(host))
	return 1 + copy(b[1:], host), nil
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

func (c *connector) connect(ctx context.Context, conn net.Conn, host string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw := getBuffer(512)
	defer putBuffer(raw)

	n, err := encode(raw, host)
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
