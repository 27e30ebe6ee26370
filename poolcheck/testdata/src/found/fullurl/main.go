// Fullurl shows a fault of github.com/gofiber/fiber/v3 v3.1.0, whose FullURL
// (req.go:207) returns a string over a pooled buffer that a defer puts back.
// The conversion is a field of the App: by default one without a copy.
//
// With fiber itself, a handler that calls c.FullURL() and then c.String()
// has "#0000000100000001 - 0.0.0" where the URL was, in 100 of 100 requests.
// This program prints, instead of the URL twice:
//
//	http://example.org/a
//	#0000000100000001g/a
package main

import (
	"bytes"
	"fmt"
	"sync"
	"unsafe"
)

var pool = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, 64)) }}

func get() *bytes.Buffer {
	buf := pool.Get().(*bytes.Buffer)
	buf.Reset()
	return buf
}

type app struct {
	toString func([]byte) string
}

func newApp(immutable bool) *app {
	a := &app{toString: unsafeString}
	if immutable {
		a.toString = copyString
	}
	return a
}

func unsafeString(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }

func copyString(p []byte) string { return string(p) }

type ctx struct {
	app          *app
	scheme, host string
	path         string
}

// bad: one of the functions that the field may hold does not copy.
func (c *ctx) FullURL() string {
	buf := get()
	defer pool.Put(buf)
	buf.WriteString(c.scheme)
	buf.WriteString("://")
	buf.WriteString(c.host)
	buf.WriteString(c.path)
	return c.app.toString(buf.Bytes()) // want "OCT002: .*buf.*"
}

// bad: so does its quoteString (helpers.go:178), which file names of
// attachments go through.
func (a *app) quoted(name string) string {
	buf := get()
	s := a.toString(fmt.Appendf(buf.AvailableBuffer(), "%q", name))
	pool.Put(buf)
	return s // want "OCT00[12]: .*(buf|s).*"
}

// ok: concatenation copies what the field's function returned.
func (c *ctx) withQuery(query map[string]string) string {
	buf := get()
	defer pool.Put(buf)
	for k, v := range query {
		buf.WriteString(k)
		buf.WriteByte('=')
		buf.WriteString(v)
	}
	return c.path + "?" + c.app.toString(buf.Bytes())
}

// ok: String of a bytes.Buffer copies.
func (c *ctx) String() string {
	buf := get()
	defer pool.Put(buf)
	fmt.Fprintf(buf, "#%016x", 1<<30+1)
	return buf.String()
}

func main() {
	c := &ctx{newApp(false), "http", "example.org", "/a"}
	url := c.FullURL()
	fmt.Println(url)
	_ = c.String()
	fmt.Println(url)
}
