package poolz_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"

	"github.com/octet-go/octet/bytespool"
	"github.com/octet-go/octet/poolz"
)

const bufferSize = 32 << 10

// An answer is the buffer for one answer, as a [httputil.BufferPool].
type answer struct {
	pool   *bytespool.Pool
	buffer []byte
}

// admit takes the buffer when the answer begins, so that a client that sends nothing
// keeps no memory from others.
func (a *answer) admit(*http.Response) (err error) {
	a.buffer, err = a.pool.TryNew(bufferSize)
	return err
}

func (a *answer) Get() []byte { return a.buffer }

func (a *answer) Put([]byte) {}

func (a *answer) release() { a.pool.Release(a.buffer) }

// newProxy returns a handler that forwards requests to another server. It copies the answers
// with buffers from the pool, and rejects load before they take more memory than they may.
func newProxy(to *url.URL, pool *bytespool.Pool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{pool: pool}
		defer a.release()
		forward := httputil.ReverseProxy{
			Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(to) },
			ModifyResponse: a.admit,
			BufferPool:     a,
			ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
				status := http.StatusBadGateway
				if errors.Is(err, bytespool.ErrLimit) {
					w.Header().Set("Retry-After", "1")
					status = http.StatusServiceUnavailable
				}
				w.WriteHeader(status)
			},
		}
		forward.ServeHTTP(w, r)
	})
}

// A reverse proxy with a limit on the memory of its buffers, and a page that shows them.
func Example_proxy() {
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "hello from ", r.URL.Path)
	}))
	defer upstream.Close()
	to, err := url.Parse(upstream.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	pool := bytespool.NewPool(bytespool.WithSizes(bufferSize, bufferSize), bytespool.WithName("proxy"), bytespool.WithLimit(64<<20))
	proxy := newProxy(to, pool)
	admin := http.NewServeMux() // at an address that users do not reach
	admin.Handle("/debug/pools", poolz.Handler())

	get := func() {
		w := httptest.NewRecorder()
		proxy.ServeHTTP(w, httptest.NewRequest("GET", "/here", nil))
		fmt.Printf("%d %q\n", w.Code, w.Body)
	}
	get()
	all := pool.New(64 << 20) // as many answers at the same time
	get()
	pool.Release(all)
	fmt.Println(pool.Stats().InUse, "buffers are in use")
	// Output:
	// 200 "hello from /here"
	// 503 ""
	// 0 buffers are in use
}
