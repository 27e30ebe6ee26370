// Package bug serves calls on connections.
package bug

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log"
	"net"
	"sync"
)

const (
	magic = 0x2b
)

type message struct {
	header  *[8]byte
	method  string
	payload []byte
}

var messages = sync.Pool{
	New: func() any {
		header := [8]byte{magic}
		return &message{header: &header}
	},
}

func getMessage() *message { return messages.Get().(*message) }

func freeMessage(m *message) {
	if m != nil {
		m.reset()
		messages.Put(m)
	}
}

func (m *message) reset() {
	*m.header = [8]byte{magic}
	m.method = ""
	m.payload = nil
}

func (m *message) clone() *message {
	c := getMessage()
	*c.header = *m.header
	c.method = m.method
	return c
}

func (m *message) decode(r io.Reader) error {
	if _, err := io.ReadFull(r, m.header[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(m.header[4:])
	data := make([]byte, n)
	if _, err := io.ReadFull(r, data); err != nil {
		return err
	}
	m.method = string(data[:m.header[3]])
	m.payload = data[m.header[3]:]
	return nil
}

func (m *message) encode() []byte {
	m.header[3] = byte(len(m.method))
	binary.BigEndian.PutUint32(m.header[4:], uint32(len(m.method)+len(m.payload)))
	data := append([]byte(nil), m.header[:]...)
	return append(append(data, m.method...), m.payload...)
}

// A plugin sees the requests before they are handled.
type plugin interface {
	BeforeRead(ctx context.Context) error
	AfterRead(ctx context.Context, req *message, err error) error
}

type server struct {
	plugin plugin
	auth   func(ctx context.Context, req *message) error
	handle func(ctx context.Context, method string, payload []byte) ([]byte, error)
}

func (s *server) nextRequest(ctx context.Context, r io.Reader) (req *message, err error) {
	if err = s.plugin.BeforeRead(ctx); err != nil {
		return nil, err
	}
	req = getMessage()
	err = req.decode(r)
	if err == io.EOF {
		return req, err
	}
	perr := s.plugin.AfterRead(ctx, req, err)
	if err == nil {
		err = perr
	}
	return req, err
}

func (s *server) respond(conn net.Conn, req *message, payload []byte, err error) {
	res := req.clone()
	res.payload = payload
	if err != nil {
		res.payload = []byte(err.Error())
	}
	conn.Write(res.encode())
	freeMessage(res)
}

func (s *server) serve(conn net.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	for {
		ctx := context.Background()
		req, err := s.nextRequest(ctx, r)
		if err != nil {
			if err == io.EOF {
				log.Printf("%v has closed its connection", conn.RemoteAddr())
			} else if errors.Is(err, net.ErrClosed) {
				log.Printf("the connection of %v is closed", conn.RemoteAddr())
			} else {
				log.Printf("read a request of %v: %v", conn.RemoteAddr(), err)
			}
			return
		}
		if err := s.auth(ctx, req); err != nil {
			s.respond(conn, req, nil, err)
			freeMessage(req)
			return
		}
		go func() {
			defer freeMessage(req)
			payload, err := s.handle(ctx, req.method, req.payload)
			s.respond(conn, req, payload, err)
		}()
	}
}
