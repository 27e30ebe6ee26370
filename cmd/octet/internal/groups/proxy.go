package groups

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/cmd/octet/internal/contest"
	units "github.com/octet-go/octet/cmd/octet/internal/sample"
)

// Proxy measures httputil.ReverseProxy with buffers of several sizes and from several
// pools.
func Proxy() contest.Group {
	g := contest.Group{
		Name: "proxy",
		About: "A request goes through httputil.ReverseProxy to a server and its response comes back, over loopback connections that stay open, one request at a time. " +
			"Body: bytes of the response. Buffer: bytes of what the proxy copies it with; without a BufferPool that is 32 KiB, whatever the row. " +
			"Compared is the processor time of the whole process; client and server do as little as they can, and allocate nothing.",
		OptIn: true,
	}
	for _, body := range []int{64 << 10, 1 << 20} {
		for _, buffer := range []int{32 << 10, 64 << 10, 256 << 10} {
			g.Rows = append(g.Rows, proxyRow(body, buffer))
		}
	}
	return g
}

func proxyRow(body, buffer int) contest.Row {
	contestant := func(name string, ours bool, pool func() httputil.BufferPool) contest.Contestant {
		return contest.Contestant{Name: name, Ours: ours, Start: func() contest.Run { return startProxy(body, pool()) }}
	}
	return contest.Row{
		Name:    "body=" + strconv.Itoa(body) + "/buffer=" + strconv.Itoa(buffer),
		Bytes:   int64(body),
		Unit:    units.CPU,
		Process: &contest.Process{Operations: 256 << 20 / body},
		Contestants: []contest.Contestant{
			contestant("octet", true, func() httputil.BufferPool { return bytespool.NewBufPool(buffer) }),
			contestant("sync.Pool", false, func() httputil.BufferPool { return newSyncBuffers(buffer) }),
			contestant("no BufferPool", false, func() httputil.BufferPool { return nil }),
		},
	}
}

// syncBuffers is a BufferPool as it is usually written.
type syncBuffers struct{ sync.Pool }

func newSyncBuffers(size int) *syncBuffers {
	return &syncBuffers{sync.Pool{New: func() any {
		b := make([]byte, size)
		return &b
	}}}
}

func (p *syncBuffers) Get() []byte  { return *p.Pool.Get().(*[]byte) }
func (p *syncBuffers) Put(b []byte) { p.Pool.Put(&b) }

// startProxy starts a server, a proxy before it, and a client, and warms them up.
func startProxy(body int, pool httputil.BufferPool) contest.Run {
	fail := func(err error) contest.Run { return contest.Run{Do: func(int) {}, Err: func() error { return err }} }
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fail(err)
	}
	go answer(upstream, body)
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		upstream.Close()
		return fail(err)
	}
	to := &url.URL{Scheme: "http", Host: upstream.Addr().String()}
	transport := &http.Transport{DisableCompression: true}
	server := &http.Server{
		Handler: &httputil.ReverseProxy{
			Rewrite:    func(r *httputil.ProxyRequest) { r.SetURL(to) },
			Transport:  transport,
			BufferPool: pool,
			ErrorLog:   log.New(io.Discard, "", 0), // the client sees errors
		},
	}
	go server.Serve(front)
	stop := func() {
		server.Close()
		transport.CloseIdleConnections()
		upstream.Close()
	}
	c, err := newAsker(front.Addr().String(), body)
	if err == nil {
		err = c.ask(8)
	}
	if err != nil {
		stop()
		return fail(err)
	}
	return contest.Run{
		Do: func(n int) {
			if err == nil {
				err = c.ask(n)
			}
		},
		Err: func() error { return err },
		Stop: func() {
			c.conn.Close()
			stop()
		},
	}
}

// answer answers all requests without a body that come to l with size bytes.
func answer(l net.Listener, size int) {
	text := append(fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n", size), make([]byte, size)...)
	for {
		c, err := l.Accept()
		if err != nil {
			return // l is closed
		}
		go func() {
			defer c.Close()
			for r := bufio.NewReader(c); skipHead(r) == nil; {
				if _, err := c.Write(text); err != nil {
					return
				}
			}
		}()
	}
}

// skipHead reads the head of a request or a response.
func skipHead(r *bufio.Reader) error {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil || len(bytes.TrimSpace(line)) == 0 {
			return err
		}
	}
}

// An asker is a client that sends one request after the other.
type asker struct {
	conn net.Conn
	r    *bufio.Reader
	body []byte // of an answer
}

func newAsker(address string, size int) (*asker, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &asker{conn: c, r: bufio.NewReader(c), body: make([]byte, size)}, nil
}

var question = []byte("GET / HTTP/1.1\r\nHost: proxy\r\n\r\n")

// ask sends n requests and reads the answers.
func (a *asker) ask(n int) error {
	for range n {
		if _, err := a.conn.Write(question); err != nil {
			return err
		}
		status, err := a.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		if !bytes.HasPrefix(status, []byte("HTTP/1.1 200 ")) {
			return errors.New("the proxy answers " + string(bytes.TrimSpace(status)))
		}
		if err := skipHead(a.r); err != nil {
			return err
		}
		if _, err := io.ReadFull(a.r, a.body); err != nil {
			return err
		}
	}
	return nil
}
