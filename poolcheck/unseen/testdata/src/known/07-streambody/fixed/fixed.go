// Package fixed does requests whose responses may be read as streams.
package fixed

import (
	"bufio"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

type bodyStream struct {
	reader *bufio.Reader
	left   int
	prefix []byte
}

var streams = sync.Pool{New: func() any { return &bodyStream{} }}

func acquireStream(r *bufio.Reader, length int) *bodyStream {
	s := streams.Get().(*bodyStream)
	s.reader = r
	s.left = length
	return s
}

func releaseStream(s *bodyStream) {
	s.prefix = nil
	s.left = 0
	s.reader = nil
	streams.Put(s)
}

func (s *bodyStream) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	n, err := s.reader.Read(p[:min(len(p), s.left)])
	s.left -= n
	return n, err
}

type closeReader struct {
	io.Reader
	closeFunc func(error) error
}

func (c *closeReader) CloseWithError(err error) error {
	if c.closeFunc == nil {
		return nil
	}
	return c.closeFunc(err)
}

type readCloser interface {
	io.Reader
	CloseWithError(error) error
}

type response struct {
	status int
	stream readCloser
}

var responses = sync.Pool{New: func() any { return &response{} }}

func acquireResponse() *response { return responses.Get().(*response) }

func releaseResponse(r *response) {
	r.closeStream(nil)
	r.status = 0
	responses.Put(r)
}

func (r *response) closeStream(err error) error {
	if r.stream == nil {
		return nil
	}
	err = r.stream.CloseWithError(err)
	r.stream = nil
	return err
}

type hostClient struct {
	readers sync.Pool
	dial    func() (net.Conn, error)
}

func (c *hostClient) acquireReader(conn net.Conn) *bufio.Reader {
	v := c.readers.Get()
	if v == nil {
		return bufio.NewReader(conn)
	}
	br := v.(*bufio.Reader)
	br.Reset(conn)
	return br
}

func (c *hostClient) releaseReader(br *bufio.Reader) { c.readers.Put(br) }

func (c *hostClient) get(path string, resp *response) error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(conn, "GET "+path+"\r\n"); err != nil {
		conn.Close()
		return err
	}
	br := c.acquireReader(conn)
	line, err := br.ReadString('\n')
	length, aerr := strconv.Atoi(strings.TrimSpace(line))
	if err = errors.Join(err, aerr); err != nil {
		c.releaseReader(br)
		conn.Close()
		return err
	}
	s := acquireStream(br, length)
	resp.status = 200
	var closed atomic.Bool
	resp.stream = &closeReader{s, func(error) error {
		if !closed.CompareAndSwap(false, true) {
			return nil
		}
		c.releaseReader(br)
		releaseStream(s)
		return conn.Close()
	}}
	return nil
}

func fetch(c *hostClient, path string, w io.Writer) error {
	resp := acquireResponse()
	defer releaseResponse(resp)
	if err := c.get(path, resp); err != nil {
		return err
	}
	_, err := io.Copy(w, resp.stream)
	return errors.Join(err, resp.stream.CloseWithError(err))
}
