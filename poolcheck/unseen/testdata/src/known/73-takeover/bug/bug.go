// Package bug serves requests on connections, which handlers may take over.
package bug

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
)

// A call is a request with its response.
type call struct {
	method, target string
	status         int
	body           []byte
	takeover       func(net.Conn)
	noResponse     bool
}

func (c *call) reset() {
	*c = call{body: c.body[:0]}
}

// TakeOver has the connection handed to h after the response.
func (c *call) TakeOver(h func(net.Conn)) { c.takeover = h }

type server struct {
	handler func(*call)
	// keep leaves connections that were taken over open when their handlers
	// return. They must be closed then.
	keep bool

	calls   sync.Pool
	readers sync.Pool
	writers sync.Pool
	taken   sync.Pool
}

func (s *server) acquireCall() *call {
	if v := s.calls.Get(); v != nil {
		return v.(*call)
	}
	return new(call)
}

func (s *server) releaseCall(c *call) {
	c.reset()
	s.calls.Put(c)
}

func (s *server) acquireReader(conn net.Conn) *bufio.Reader {
	if v := s.readers.Get(); v != nil {
		br := v.(*bufio.Reader)
		br.Reset(conn)
		return br
	}
	return bufio.NewReader(conn)
}

func (s *server) acquireWriter(conn net.Conn) *bufio.Writer {
	if v := s.writers.Get(); v != nil {
		bw := v.(*bufio.Writer)
		bw.Reset(conn)
		return bw
	}
	return bufio.NewWriter(conn)
}

func (c *call) read(br *bufio.Reader) error {
	line, err := br.ReadString('\n')
	if err != nil {
		return err
	}
	var ok bool
	if c.method, c.target, ok = strings.Cut(strings.TrimSpace(line), " "); !ok {
		return fmt.Errorf("request %q", line)
	}
	return nil
}

func (c *call) write(bw *bufio.Writer) error {
	fmt.Fprintf(bw, "%d %d\n", c.status, len(c.body))
	bw.Write(c.body)
	return bw.Flush()
}

// serve handles the requests of a connection until one of them takes it over.
func (s *server) serve(conn net.Conn) error {
	br := s.acquireReader(conn)
	defer s.readers.Put(br)
	bw := s.acquireWriter(conn)
	defer s.writers.Put(bw)

	c := s.acquireCall()
	for {
		if err := c.read(br); err != nil {
			s.releaseCall(c)
			conn.Close()
			return err
		}
		c.status = 200
		s.handler(c)
		if !c.noResponse {
			if err := c.write(bw); err != nil {
				s.releaseCall(c)
				conn.Close()
				return err
			}
		}
		if c.takeover != nil {
			break
		}
		c.reset()
	}

	// What came after the request belongs to who takes over.
	var r io.Reader = conn
	if n := br.Buffered(); n > 0 {
		rest, err := br.Peek(n)
		if err != nil {
			s.releaseCall(c)
			conn.Close()
			return err
		}
		r = io.MultiReader(bytes.NewReader(bytes.Clone(rest)), conn)
	}
	go s.handOver(c, r, conn)
	return nil
}

func (s *server) handOver(c *call, r io.Reader, conn net.Conn) {
	t := s.acquireTaken(r, conn)
	c.takeover(t)
	if !s.keep {
		conn.Close()
		s.releaseTaken(t)
	}
	s.releaseCall(c)
}

func (s *server) acquireTaken(r io.Reader, conn net.Conn) *takenConn {
	v := s.taken.Get()
	if v == nil {
		return &takenConn{Conn: conn, r: r, server: s}
	}
	t := v.(*takenConn)
	t.Conn = conn
	t.r = r
	return t
}

func (s *server) releaseTaken(t *takenConn) {
	t.Conn = nil
	t.r = nil
	s.taken.Put(t)
}

// A takenConn reads first what was read ahead.
type takenConn struct {
	net.Conn
	r      io.Reader
	server *server
}

func (t *takenConn) Unwrap() net.Conn { return t.Conn }

func (t *takenConn) Read(p []byte) (int, error) { return t.r.Read(p) }

func (t *takenConn) Close() error {
	if !t.server.keep {
		// handOver closes it.
		return nil
	}
	conn := t.Conn
	t.server.releaseTaken(t)
	return conn.Close()
}

type dialer func(network, address string) (net.Conn, error)

// tunnel connects clients with the target that they name, for servers that keep
// connections.
func tunnel(dial dialer) func(*call) {
	return func(c *call) {
		if c.method != "CONNECT" {
			c.status = 405
			return
		}
		out, err := dial("tcp", c.target)
		if err != nil {
			c.status = 502
			c.body = append(c.body, err.Error()...)
			return
		}
		c.TakeOver(func(conn net.Conn) {
			var both sync.WaitGroup
			both.Go(func() { move(out, conn) })
			both.Go(func() { move(conn, out) })
			both.Wait()
		})
	}
}

// move copies what src has, and ends both directions when one ends.
func move(dst, src net.Conn) {
	io.Copy(dst, src)
	dst.Close()
	src.Close()
}
