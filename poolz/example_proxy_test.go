package poolz_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/poolz"
)

const bufferSize = 32 << 10

// A proxy forwards requests to another server. It copies the answers with buffers from a
// pool, and rejects load before they take more memory than they may.
type proxy struct {
	http.Server
	forward httputil.ReverseProxy
	pool    *bytespool.Pool
	running sync.WaitGroup // requests, and connections that were upgraded
	end     context.CancelFunc
}

func newProxy(to *url.URL, limit int64) *proxy {
	ctx, end := context.WithCancel(context.Background())
	p := &proxy{
		pool: bytespool.NewPool(bytespool.WithSizes(bufferSize, bufferSize), bytespool.WithName("proxy"), bytespool.WithLimit(limit)),
		end:  end,
	}
	p.Server = http.Server{
		Handler:           http.HandlerFunc(p.serve),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       time.Minute, // for the body of a request, too
		IdleTimeout:       2 * time.Minute,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	p.forward = httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.SetXForwarded()
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			switch {
			case errors.Is(err, bytespool.ErrLimit):
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusServiceUnavailable)
			case errors.Is(err, os.ErrDeadlineExceeded): // of ReadTimeout
				w.WriteHeader(http.StatusRequestTimeout)
			case r.Context().Err() != nil: // the client has left
				panic(http.ErrAbortHandler)
			default:
				w.WriteHeader(http.StatusBadGateway)
			}
		},
	}
	return p
}

func (p *proxy) serve(w http.ResponseWriter, r *http.Request) {
	p.running.Add(1)
	defer p.running.Done()
	a := &answer{pool: p.pool}
	defer a.release()
	forward := p.forward
	forward.ModifyResponse, forward.BufferPool = a.admit, a
	forward.ServeHTTP(w, r)
}

// An answer is the buffer for one answer, as a [httputil.BufferPool].
type answer struct {
	pool   *bytespool.Pool
	buffer []byte
}

// admit takes the buffer when the answer begins, so that a client that sends nothing
// keeps no memory from others, and neither does a WebSocket.
func (a *answer) admit(r *http.Response) (err error) {
	if r.StatusCode != http.StatusSwitchingProtocols {
		a.buffer, err = a.pool.TryNew(bufferSize)
	}
	return err
}

func (a *answer) Get() []byte { return a.buffer }

func (a *answer) Put([]byte) {}

func (a *answer) release() { a.pool.Release(a.buffer) }

// stop accepts no more requests, and returns when those that run have ended. It ends
// them, with an error, if ctx ends first.
func (p *proxy) stop(ctx context.Context) error {
	defer p.end()
	err := p.Shutdown(ctx) // does not wait for connections that were upgraded
	ended := make(chan bool)
	go func() { p.running.Wait(); close(ended) }()
	select {
	case <-ended:
		return err
	case <-ctx.Done():
		p.end()
		p.Close()
		<-ended
		return ctx.Err()
	}
}

// A reverse proxy with a limit on the memory of its buffers, and a page that shows them.
func Example_proxy() {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "hello from", r.URL.Path)
	}))
	defer upstream.Close()
	to, err := url.Parse(upstream.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	p := newProxy(to, 64<<20)
	go p.Serve(l)

	admin := httptest.NewServer(poolz.Handler()) // at an address that users do not reach
	defer admin.Close()

	r, err := http.Get("http://" + l.Addr().String() + "/here")
	if err != nil {
		fmt.Println(err)
		return
	}
	io.Copy(os.Stdout, r.Body)
	r.Body.Close()
	fmt.Println("stopped:", p.stop(context.Background()))
	fmt.Println("in use:", p.pool.Stats().InUse)
	// Output:
	// hello from /here
	// stopped: <nil>
	// in use: 0
}
