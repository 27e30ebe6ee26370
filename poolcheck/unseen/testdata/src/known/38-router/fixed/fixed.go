// Package fixed routes HTTP requests to handlers, which get contexts.
package fixed

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"time"
)

// A Context is the context of a request and answers it.
type Context interface {
	context.Context
	Query() url.Values
	Bind(v any) error
	Result(code int, v any) error
	Reset(res http.ResponseWriter, req *http.Request)
}

type responseWriter struct {
	code int
	w    http.ResponseWriter
}

func (w *responseWriter) reset(res http.ResponseWriter) {
	w.w = res
	w.code = http.StatusOK
}

func (w *responseWriter) Header() http.Header  { return w.w.Header() }
func (w *responseWriter) WriteHeader(code int) { w.code = code }

func (w *responseWriter) Write(p []byte) (int, error) {
	w.w.WriteHeader(w.code)
	return w.w.Write(p)
}

type wrapper struct {
	router *router
	req    *http.Request
	w      responseWriter
}

func (c *wrapper) Query() url.Values { return c.req.URL.Query() }
func (c *wrapper) Bind(v any) error  { return json.NewDecoder(c.req.Body).Decode(v) }

func (c *wrapper) Result(code int, v any) error {
	c.w.WriteHeader(code)
	return json.NewEncoder(&c.w).Encode(v)
}

func (c *wrapper) Reset(res http.ResponseWriter, req *http.Request) {
	c.w.reset(res)
	c.req = req
}

func (c *wrapper) Deadline() (time.Time, bool) {
	if c.req == nil {
		return time.Time{}, false
	}
	return c.req.Context().Deadline()
}

func (c *wrapper) Done() <-chan struct{} {
	if c.req == nil {
		return nil
	}
	return c.req.Context().Done()
}

func (c *wrapper) Err() error {
	if c.req == nil {
		return context.Canceled
	}
	return c.req.Context().Err()
}

func (c *wrapper) Value(key any) any {
	if c.req == nil {
		return nil
	}
	return c.req.Context().Value(key)
}

type handler func(Context) error

type filter func(http.Handler) http.Handler

func chain(filters []filter) filter {
	return func(next http.Handler) http.Handler {
		for i := len(filters) - 1; i >= 0; i-- {
			next = filters[i](next)
		}
		return next
	}
}

type router struct {
	prefix  string
	mux     *http.ServeMux
	failed  func(http.ResponseWriter, *http.Request, error)
	filters []filter
}

func newRouter(prefix string, mux *http.ServeMux, failed func(http.ResponseWriter, *http.Request, error), filters ...filter) *router {
	return &router{prefix: prefix, mux: mux, failed: failed, filters: filters}
}

func (r *router) handle(method, relative string, h handler, filters ...filter) {
	var next http.Handler = http.HandlerFunc(func(res http.ResponseWriter, req *http.Request) {
		ctx := &wrapper{router: r}
		ctx.Reset(res, req)
		if err := h(ctx); err != nil {
			r.failed(res, req, err)
		}
	})
	next = chain(filters)(next)
	next = chain(r.filters)(next)
	r.mux.Handle(method+" "+path.Join(r.prefix, relative), next)
}

type store interface {
	Lookup(ctx context.Context, name string) (string, error)
}

type answer struct {
	value string
	err   error
}

// lookup asks all stores and takes the first answer. It does not wait for the
// others.
func lookup(stores []store) handler {
	return func(c Context) error {
		name := c.Query().Get("name")
		ctx, cancel := context.WithTimeout(c, time.Second)
		defer cancel()
		answers := make(chan answer, len(stores))
		for _, s := range stores {
			go func() {
				value, err := s.Lookup(ctx, name)
				answers <- answer{value, err}
			}()
		}
		select {
		case a := <-answers:
			if a.err != nil {
				return a.err
			}
			return c.Result(http.StatusOK, a.value)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
