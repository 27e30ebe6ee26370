package poolz_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/octet-go/octet/internal/testenv"
)

// startProxy starts the proxy of the example. change may change it before.
func startProxy(t *testing.T, to string, limit int64, change ...func(*proxy)) (p *proxy, address string) {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p = newProxy(u, limit)
	for _, f := range change {
		f(p)
	}
	go p.Serve(l)
	t.Cleanup(func() { p.Close() })
	return p, l.Addr().String()
}

// status returns that of the proxy's answer, after its whole body.
func status(t *testing.T, address string) int {
	t.Helper()
	r, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	io.Copy(io.Discard, r.Body)
	return r.StatusCode
}

// send opens a connection, and sends the text.
func send(t *testing.T, address, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return c
}

// halting returns a server whose answers halt in the middle until they may end. Each
// body of a request is read before.
func halting(t *testing.T) (url string, begun <-chan bool, end chan<- bool) {
	began, ends := make(chan bool), make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/" {
			return
		}
		io.WriteString(w, "begin ")
		w.(http.Flusher).Flush()
		began <- true
		select {
		case <-ends:
			io.WriteString(w, "end")
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(s.Close)
	return s.URL, began, ends
}

// TestProxyLimit sees that a request beyond the limit is rejected, that there is room
// when the first has ended, and that a stop waits for what runs.
func TestProxyLimit(t *testing.T) {
	url, begun, end := halting(t)
	p, address := startProxy(t, url, bufferSize)
	slow := send(t, address, "GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	<-begun
	testenv.Eventually(t, "the answer has begun", func() bool { return p.pool.Stats().InUse == 1 })
	r, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	r.Body.Close()
	if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") != "1" {
		t.Errorf("%s, Retry-After %q", r.Status, r.Header.Get("Retry-After"))
	}
	stopped := make(chan error)
	go func() { stopped <- p.stop(context.Background()) }()
	select {
	case err := <-stopped:
		t.Fatalf("it stopped while a request ran: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	end <- true
	if b, err := io.ReadAll(slow); err != nil || !strings.Contains(string(b), "begin ") || !strings.Contains(string(b), "end") {
		t.Errorf("%q, %v", b, err)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if s := p.pool.Stats(); s.InUse != 0 || s.Limit.Rejected != 1 {
		t.Errorf("%d buffers are in use, and %d requests were rejected", s.InUse, s.Limit.Rejected)
	}
}

// TestProxySilence sees that clients that promise a body and send none keep no room from
// others, and that the time that they have ends.
func TestProxySilence(t *testing.T) {
	url, _, _ := halting(t)
	p, address := startProxy(t, url, bufferSize, func(p *proxy) { p.ReadTimeout = time.Second })
	var silent []net.Conn
	for range 8 {
		c := send(t, address, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n")
		c.SetReadDeadline(time.Now().Add(20 * time.Second))
		silent = append(silent, c)
	}
	testenv.Eventually(t, "a request is served beside them", func() bool {
		r, err := http.Get("http://" + address)
		if err != nil { // on a slow machine the time ends that this one has
			return false
		}
		r.Body.Close()
		return r.StatusCode == http.StatusOK
	})
	for _, c := range silent {
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err == nil && r.StatusCode != http.StatusRequestTimeout {
			t.Errorf("%s, want status 408 or the end", r.Status)
		} else if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the connection is open still")
		}
	}
	if n := p.pool.Stats().Limit.Rejected; n != 0 {
		t.Errorf("%d requests were rejected", n)
	}
}

// upgrading returns a server that echoes after an upgrade.
func upgrading(t *testing.T) (url string) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") == "" {
			return
		}
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "echo")
		w.WriteHeader(http.StatusSwitchingProtocols)
		c, both, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		io.Copy(c, both)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

const upgrade = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"

// echoes sees that the connection is upgraded.
func echoes(t *testing.T, c net.Conn, from *bufio.Reader) {
	t.Helper()
	io.WriteString(c, "ping\n")
	if s, err := from.ReadString('\n'); err != nil || s != "ping\n" {
		t.Fatalf("%q, %v", s, err)
	}
}

// TestProxyUpgrade sees that an upgraded connection keeps no room from others, that a
// stop waits for it, and that it does not wait for ever.
func TestProxyUpgrade(t *testing.T) {
	for _, leaves := range []bool{true, false} {
		t.Run(fmt.Sprint("leaves=", leaves), func(t *testing.T) {
			p, address := startProxy(t, upgrading(t), bufferSize)
			c := send(t, address, upgrade)
			from := bufio.NewReader(c)
			if r, err := http.ReadResponse(from, nil); err != nil || r.StatusCode != http.StatusSwitchingProtocols {
				t.Fatalf("%v, %v", r, err)
			}
			echoes(t, c, from)
			if got := status(t, address); got != http.StatusOK {
				t.Errorf("a request beside it gets %d", got)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stopped := make(chan error)
			go func() { stopped <- p.stop(ctx) }()
			select {
			case err := <-stopped:
				t.Fatalf("it stopped while a connection was open: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
			echoes(t, c, from)
			if leaves {
				c.Close()
			} else {
				cancel()
			}
			if err := <-stopped; (err == nil) != leaves || err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("it stopped with %v", err)
			}
			if _, err := from.ReadByte(); err == nil {
				t.Error("the connection is open still")
			}
		})
	}
}

// TestProxyErrors sees what is answered if the server does not, and that nothing is if
// the client has left.
func TestProxyErrors(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	p, address := startProxy(t, s.URL, 0)
	if got := status(t, address); got != http.StatusBadGateway {
		t.Errorf("status %d, want 502", got)
	}
	defer func() {
		if e := recover(); e != http.ErrAbortHandler {
			t.Errorf("a client that has left is answered, or the panic is %v", e)
		}
	}()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	p.serve(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
}
