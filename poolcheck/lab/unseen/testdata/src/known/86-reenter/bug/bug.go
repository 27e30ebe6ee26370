// Package bug routes requests to chains of handlers, each of which may send the
// request to another route.
package bug

import (
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"
)

type handlerFunc func(c *routeContext)

// A routeContext is what handlers have of a request. It comes from a pool of the
// engine, and is valid while the request is served.
type routeContext struct {
	Request *http.Request
	Writer  http.ResponseWriter

	handlers []handlerFunc
	index    int
	engine   *engine
	errs     []error
}

func (c *routeContext) reset() {
	c.handlers = nil
	c.index = -1
	c.errs = c.errs[:0]
}

// Next runs the handlers behind the one that calls it.
func (c *routeContext) Next() {
	c.index++
	for ; c.index < len(c.handlers); c.index++ {
		c.handlers[c.index](c)
	}
}

func (c *routeContext) Abort() { c.index = len(c.handlers) }

func (c *routeContext) String(status int, format string, args ...any) {
	c.Writer.WriteHeader(status)
	if _, err := fmt.Fprintf(c.Writer, format, args...); err != nil {
		c.errs = append(c.errs, err)
	}
}

type engine struct {
	pool   sync.Pool
	routes map[string][]handlerFunc
}

func newEngine() *engine {
	e := new(engine)
	e.pool.New = func() any { return &routeContext{engine: e} }
	return e
}

// ServeHTTP serves a request.
func (e *engine) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	c := e.pool.Get().(*routeContext)
	c.Writer = w
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
	c.handlers = e.routes[c.Request.URL.Path]
	c.Next()
	c.Writer.WriteHeader(http.StatusOK)
}

// logged is a handler that logs requests.
func logged(c *routeContext) {
	start := time.Now()
	path := c.Request.URL.Path
	c.Next()
	log.Printf("%s %s %v", c.Request.Method, path, time.Since(start))
	for _, err := range c.errs {
		log.Println(err)
	}
}

// renamed is a handler for paths that have moved.
func renamed(prefix string) handlerFunc {
	return func(c *routeContext) {
		c.Request.URL.Path = prefix + c.Request.URL.Path
		c.engine.HandleContext(c)
		c.Abort()
	}
}
