// Package bug routes requests to chains of handlers, each of which may send the
// request to another route.
package bug

import (
	"fmt"
	"log"
	"net/http"
	"strings"
	"sync"
	"time"
)

type handlerFunc func(c *routeContext)

const abortIndex = 1 << 6

// A responseWriter knows what was written.
type responseWriter struct {
	http.ResponseWriter
	status int
	size   int
}

func (w *responseWriter) reset(rw http.ResponseWriter) {
	w.ResponseWriter = rw
	w.status = http.StatusOK
	w.size = -1
}

func (w *responseWriter) written() bool { return w.size >= 0 }

func (w *responseWriter) writeHeaderNow() {
	if !w.written() {
		w.size = 0
		w.ResponseWriter.WriteHeader(w.status)
	}
}

func (w *responseWriter) Write(p []byte) (int, error) {
	w.writeHeaderNow()
	n, err := w.ResponseWriter.Write(p)
	w.size += n
	return n, err
}

type param struct{ key, value string }

// A routeContext is what handlers have of a request. It comes from a pool of the
// engine, and is valid while the request is served.
type routeContext struct {
	writermem responseWriter
	Request   *http.Request
	Writer    *responseWriter

	params   []param
	handlers []handlerFunc
	index    int
	engine   *engine
	keys     map[string]any
	errs     []error
}

func (c *routeContext) reset() {
	c.Writer = &c.writermem
	c.params = c.params[:0]
	c.handlers = nil
	c.index = -1
	c.keys = nil
	c.errs = c.errs[:0]
}

// Next runs the handlers behind the one that calls it.
func (c *routeContext) Next() {
	c.index++
	for ; c.index < len(c.handlers); c.index++ {
		c.handlers[c.index](c)
	}
}

func (c *routeContext) Abort() { c.index = abortIndex }

func (c *routeContext) Set(key string, value any) {
	if c.keys == nil {
		c.keys = make(map[string]any)
	}
	c.keys[key] = value
}

func (c *routeContext) Param(key string) string {
	for _, p := range c.params {
		if p.key == key {
			return p.value
		}
	}
	return ""
}

func (c *routeContext) String(status int, format string, args ...any) {
	c.writermem.status = status
	if _, err := fmt.Fprintf(c.Writer, format, args...); err != nil {
		c.errs = append(c.errs, err)
	}
}

type route struct {
	method   string
	parts    []string
	handlers []handlerFunc
}

// match appends what the parts that begin with a colon stand for.
func (r *route) match(parts []string, params []param) ([]param, bool) {
	if len(parts) != len(r.parts) {
		return params, false
	}
	n := len(params)
	for i, p := range r.parts {
		if name, ok := strings.CutPrefix(p, ":"); ok {
			params = append(params, param{name, parts[i]})
		} else if p != parts[i] {
			return params[:n], false
		}
	}
	return params, true
}

type engine struct {
	pool    sync.Pool
	common  []handlerFunc
	routes  []route
	noRoute []handlerFunc
}

func newEngine() *engine {
	e := new(engine)
	e.pool.New = func() any { return &routeContext{engine: e} }
	e.noRoute = []handlerFunc{func(c *routeContext) {
		c.String(http.StatusNotFound, "404 page not found")
	}}
	return e
}

func (e *engine) Use(h ...handlerFunc) { e.common = append(e.common, h...) }

func (e *engine) Handle(method, path string, h ...handlerFunc) {
	handlers := append(append([]handlerFunc(nil), e.common...), h...)
	e.routes = append(e.routes, route{method, strings.Split(path, "/"), handlers})
}

// ServeHTTP serves a request.
func (e *engine) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	c := e.pool.Get().(*routeContext)
	c.writermem.reset(w)
	c.Request = req
	c.reset()

	e.handleRequest(c)

	e.pool.Put(c)
}

// HandleContext sends a request, whose path a handler has changed, to where it
// belongs now.
func (e *engine) HandleContext(c *routeContext) {
	c.reset()
	e.handleRequest(c)
	e.pool.Put(c)
}

func (e *engine) handleRequest(c *routeContext) {
	parts := strings.Split(c.Request.URL.Path, "/")
	for i := range e.routes {
		r := &e.routes[i]
		if r.method != c.Request.Method {
			continue
		}
		params, ok := r.match(parts, c.params)
		if !ok {
			continue
		}
		c.params = params
		c.handlers = r.handlers
		c.Next()
		c.writermem.writeHeaderNow()
		return
	}
	c.handlers = e.noRoute
	c.Next()
	c.writermem.writeHeaderNow()
}

// logged is a handler that logs requests.
func logged(c *routeContext) {
	start := time.Now()
	path := c.Request.URL.Path
	c.Next()
	log.Printf("%s %s %d %d %v", c.Request.Method, path, c.writermem.status, c.writermem.size, time.Since(start))
	for _, err := range c.errs {
		log.Println(err)
	}
}

// renamed is a handler for paths that have moved.
func renamed(prefix string) handlerFunc {
	return func(c *routeContext) {
		c.Request.URL.Path = prefix + "/" + c.Param("name")
		c.engine.HandleContext(c)
		c.Abort()
	}
}

func newServer(addr string) *http.Server {
	e := newEngine()
	e.Use(logged)
	e.Handle(http.MethodGet, "/old/:name", renamed("/new"))
	e.Handle(http.MethodGet, "/new/:name", func(c *routeContext) {
		c.Set("name", c.Param("name"))
		c.String(http.StatusOK, "this is %s\n", c.keys["name"])
	})
	return &http.Server{Addr: addr, Handler: e}
}
