// Bodyafter shows a fault of github.com/labstack/echo/v4 v4.16.0
// (middleware/decompress.go:93): the request keeps a pooled gzip reader as its
// Body after the deferred Put gave the reader to others. Whatever runs outside of
// the middleware and reads the rest of the body reads another request's.
//
// This program prints what is left of the first body:
//
//	second request
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"sync"
)

type request struct{ Body io.ReadCloser }

// context is what handlers get.
type context struct{ req *request }

func (c *context) Request() *request { return c.req }

var readers = sync.Pool{New: func() any { return new(gzip.Reader) }}

// bad: the field of the caller's request outlives the Put.
func decompress(c *context, next func(*context) error) error {
	gr := readers.Get().(*gzip.Reader)
	defer readers.Put(gr)
	body := c.Request().Body
	defer body.Close()
	if err := gr.Reset(body); err != nil {
		return err
	}
	c.Request().Body = gr // want "OCT002: .*gr.*"
	return next(c)
}

// ok: the field gets its old value back before the Put.
func decompressRight(c *context, next func(*context) error) error {
	gr := readers.Get().(*gzip.Reader)
	defer readers.Put(gr)
	r := c.Request()
	body := r.Body
	defer body.Close()
	if err := gr.Reset(body); err != nil {
		return err
	}
	r.Body = gr
	err := next(c)
	r.Body = body
	return err
}

func zipped(text string) *context {
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	io.WriteString(zw, text)
	zw.Close()
	return &context{&request{io.NopCloser(&buf)}}
}

func main() {
	first := zipped("first request")
	decompress(first, func(*context) error { return nil })
	decompress(zipped("second request"), func(*context) error {
		rest, err := io.ReadAll(first.Request().Body)
		fmt.Printf("%s\n", rest)
		return err
	})
}
