// Package bug serves requests of which several share a connection.
package bug

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"runtime/debug"
	"sync"
	"time"
)

// A requestInfo says what is known of a request.
type requestInfo struct {
	service, method string
	from            net.Addr
	begun           time.Time
	cost            time.Duration
}

type infoKey struct{}

func withInfo(ctx context.Context, info *requestInfo) context.Context {
	return context.WithValue(ctx, infoKey{}, info)
}

func infoOf(ctx context.Context) *requestInfo {
	info, _ := ctx.Value(infoKey{}).(*requestInfo)
	return info
}

type message struct {
	info *requestInfo
	data []byte
}

var messages = sync.Pool{New: func() any { return new(message) }}

func newMessage(info *requestInfo) *message {
	m := messages.Get().(*message)
	m.info = info
	return m
}

func recycle(m *message) {
	if m == nil {
		return
	}
	m.info = nil
	m.data = m.data[:0]
	messages.Put(m)
}

type codec interface {
	Decode(r io.Reader, m *message) error
	Encode(w io.Writer, m *message) error
}

type endpoint func(ctx context.Context, arg, result *message) error

type tracer interface {
	Start(ctx context.Context, info *requestInfo) context.Context
	Finish(ctx context.Context, info *requestInfo, err error)
}

// A muxConn is a connection that answers requests in any order.
type muxConn struct {
	net.Conn
	writing sync.Mutex
	infos   *sync.Pool
}

func (c *muxConn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.Conn.Write(p)
}

type connKey struct{}

type server struct {
	codec    codec
	endpoint endpoint
	tracer   tracer
	// prepare makes information if it gets none, and resets the one that it gets.
	prepare func(info *requestInfo, from net.Addr) *requestInfo
	tasks   sync.WaitGroup
}

func (s *server) onActive(conn net.Conn) context.Context {
	c := &muxConn{Conn: conn}
	c.infos = &sync.Pool{New: func() any { return s.prepare(nil, conn.RemoteAddr()) }}
	return context.WithValue(context.Background(), connKey{}, c)
}

func (s *server) onRead(connCtx context.Context, requests []io.Reader) {
	for _, r := range requests {
		s.tasks.Add(1)
		go s.task(connCtx, r)
	}
}

// task reads one request, has it handled and writes the answer.
func (s *server) task(connCtx context.Context, r io.Reader) {
	defer s.tasks.Done()
	conn := connCtx.Value(connKey{}).(*muxConn)
	info := conn.infos.Get().(*requestInfo)
	ctx := s.tracer.Start(withInfo(connCtx, info), info)

	var err error
	var arg, result *message
	var broken bool
	defer func() {
		if p := recover(); p != nil {
			log.Printf("panic in %s: %v\n%s", info.method, p, debug.Stack())
			broken = true
		}
		if broken {
			conn.Close()
		}
		s.tracer.Finish(ctx, info, err)
		recycle(arg)
		recycle(result)
		info = s.prepare(info, conn.RemoteAddr())
		conn.infos.Put(info)
	}()

	arg = newMessage(info)
	if err = s.codec.Decode(r, arg); err != nil {
		broken = errors.Is(err, io.ErrUnexpectedEOF)
		return
	}
	result = newMessage(info)
	if err = s.endpoint(ctx, arg, result); err != nil {
		result.data = fmt.Appendf(result.data[:0], "error: %v", err)
	}
	if err = s.codec.Encode(conn, result); err != nil {
		broken = true
	}
}

type journal interface {
	Record(ctx context.Context, line string) error
}

// journaled records the calls of next. The answer does not wait for that.
func journaled(next endpoint, j journal) endpoint {
	return func(ctx context.Context, arg, result *message) error {
		begun := time.Now()
		err := next(ctx, arg, result)
		failed := err != nil
		took := time.Since(begun)
		go func() {
			info := infoOf(ctx)
			line := fmt.Sprintf("%s.%s from %v in %v, failed %t", info.service, info.method, info.from, took, failed)
			if err := j.Record(ctx, line); err != nil {
				log.Print(err)
			}
		}()
		return err
	}
}
